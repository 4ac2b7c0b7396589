import { readdirSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import { run } from '../../process/run.ts';

/** What git reads of a work tree, in every folder. */
const READ_BY_GIT = ['.gitignore', '.gitattributes', '.gitmodules'];
/** So many entries are read within two milliseconds; for more, another program is faster. */
const FEW_ENTRIES = 500;
const FIND_MS = 300_000;

/** Removes the pipes and devices in the place of files that git reads: it would wait for them, and there is nothing in them that could be saved. */
export async function removePipes(workTree: string): Promise<void> {
  for (const path of await findPipes(workTree)) await unlink(path);
}

/** Refuses a work tree in which git would wait. */
export async function requireNoPipes(workTree: string): Promise<void> {
  const [path] = await findPipes(workTree);
  if (path !== undefined)
    throw new AppError('REFUSED', `${path} is a pipe or a device, for which git would wait`, { path });
}

async function findPipes(workTree: string): Promise<string[]> {
  const few = pipesAmongFew(workTree);
  if (few !== undefined) return few;
  const names = READ_BY_GIT.flatMap((name) => ['-o', '-name', name]).slice(1);
  const kinds = ['(', '-type', 'p', '-o', '-type', 'c', ')'];
  const command = ['find', workTree, '-xdev', '(', ...names, ')', ...kinds, '-print0'];
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
  const { stdout } = await run(command, { env, timeoutMs: FIND_MS, isRepeatable: true });
  return stdout.toString().split('\0').filter(Boolean);
}

/** Those of a folder with few entries; undefined for others, and where a folder cannot be read. */
function pipesAmongFew(workTree: string): string[] | undefined {
  const found: string[] = [];
  const folders = [workTree];
  let count = 0;
  try {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        count += 1;
        if (count > FEW_ENTRIES) return undefined;
        const path = join(folder, entry.name);
        if (entry.isDirectory()) folders.push(path);
        else if (READ_BY_GIT.includes(entry.name) && !entry.isFile() && !entry.isSymbolicLink() && !entry.isSocket())
          found.push(path);
      }
    return found;
  } catch {
    return undefined;
  }
}
