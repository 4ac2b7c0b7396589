import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { TrustedFile } from '../../agents/agent.ts';
import { errorCode } from '../../errors.ts';
import type { Access } from '../../schema/task.ts';

/** A settings file is shorter than this. */
const MAX_BYTES = 1024 * 1024;

/**
 * The repository's settings files that an agent may obey, with their texts: those that the user trusts, if every trusted
 * file (a hook's script too) still has the content that was trusted. One that differs makes all of them mistrusted, and
 * what a repository allows never gives a task that only reads the right to write.
 */
export async function trustedFiles(
  { workspace, access }: { workspace: string; access: Access },
  hashes: Readonly<Record<string, string>>,
): Promise<TrustedFile[]> {
  if (access === 'read') return [];
  const files: TrustedFile[] = [];
  for (const [path, hash] of Object.entries(hashes)) {
    const bytes = await readPlainFile(join(workspace, path));
    if (bytes === undefined || sha256(bytes) !== hash) return [];
    files.push({ path, text: bytes.toString('utf8') });
  }
  return files;
}

/** An agent may have created anything there: a pipe would block, a link could point elsewhere. */
async function readPlainFile(path: string): Promise<Buffer | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EACCES'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
  try {
    const { size } = await file.stat().then((stat) => (stat.isFile() ? stat : { size: Infinity }));
    return size > MAX_BYTES ? undefined : await file.readFile();
  } finally {
    await file.close();
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
