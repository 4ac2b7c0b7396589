import { createHash } from 'node:crypto';
import { lstat, mkdir } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { AppError, errorCode, fromSystemError } from '../../errors.ts';

/** Systems refuse longer paths of sockets: 104 bytes on macOS, 108 on Linux, one of them for the end. */
const LONGEST_PATH_BYTES = 100;

/** Where the engine of a data directory listens; a path that is too long moves to a folder of the user's own in the temporary one. */
export function socketPath(home: string): string {
  const path = join(home, 'engine.sock');
  if (Buffer.byteLength(path) <= LONGEST_PATH_BYTES) return path;
  const hash = createHash('sha256').update(home).digest('hex').slice(0, 16);
  return join(`${fallbackPrefix()}${hash}`, 'engine.sock');
}

/** Makes the socket's folder where it is missing, for its owner only. */
export async function prepareSocketFolder(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw fromSystemError(error, `making the folder ${dirname(path)}`);
  }
  await requireOwnFolder(path);
}

/** Refuses a folder in the temporary one that somebody else made under the name that is ours. */
export async function requireOwnFolder(path: string): Promise<void> {
  const folder = dirname(path);
  if (!folder.startsWith(fallbackPrefix())) return;
  const found = await lstatIfPresent(folder);
  if (found === undefined) return;
  if (found.isDirectory() && found.uid === userInfo().uid && (found.mode & 0o077) === 0) return;
  throw new AppError('NO_PERMISSION', `The folder ${folder} is not private to this user`, { folder });
}

function fallbackPrefix(): string {
  return join(tmpdir(), `manyhands-${userInfo().uid}-`);
}

async function lstatIfPresent(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw fromSystemError(error, `looking at ${path}`);
  }
}
