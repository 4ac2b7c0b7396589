import { createHash } from 'node:crypto';
import { lstat, mkdir } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { AppError, errorCode, fromSystemError } from '../../errors.ts';

/** The limit of operating systems on socket paths: 104 bytes on macOS, 108 on Linux, including the terminating NUL. */
const LONGEST_PATH_BYTES = 100;

/** Where folders for sockets are made if the path of the temporary directory is too long as well. */
const SHORT_TEMPORARY = '/tmp';

/** The path of a socket in a folder, by default that of a data directory's engine; one that is too long is replaced by a path in a private folder of the temporary directory. */
export function socketPath(home: string, name = 'engine.sock'): string {
  const path = join(home, name);
  if (isShort(path)) return path;
  const hash = createHash('sha256').update(home).digest('hex').slice(0, 16);
  const replacement = join(`${fallbackPrefix(tmpdir())}${hash}`, name);
  return isShort(replacement) ? replacement : join(`${fallbackPrefix(SHORT_TEMPORARY)}${hash}`, name);
}

function isShort(path: string): boolean {
  return Buffer.byteLength(path) <= LONGEST_PATH_BYTES;
}

/** Creates the socket's folder if it is missing, for its owner only. */
export async function prepareSocketFolder(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw fromSystemError(error, `creating the folder ${dirname(path)}`);
  }
  await requireOwnFolder(path);
}

/** Rejects a folder of that name in the temporary directory that another user created. */
export async function requireOwnFolder(path: string): Promise<void> {
  const folder = dirname(path);
  if (![tmpdir(), SHORT_TEMPORARY].some((temporary) => folder.startsWith(fallbackPrefix(temporary)))) return;
  const found = await lstatIfPresent(folder);
  if (found === undefined) return;
  if (found.isDirectory() && found.uid === userInfo().uid && (found.mode & 0o077) === 0) return;
  throw new AppError('NO_PERMISSION', `The folder ${folder} is not private to this user`, { folder });
}

function fallbackPrefix(temporary: string): string {
  return join(temporary, `manyhands-${userInfo().uid}-`);
}

async function lstatIfPresent(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw fromSystemError(error, `reading the status of ${path}`);
  }
}
