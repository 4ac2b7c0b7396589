import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { AppError, errorCode, isAbsent } from '../../errors.ts';

/** The most that is read of a file with a number, an identity or a record. */
const START_BYTES = 64 * 1024;
const NO_PLAIN_FILE = ['ELOOP', 'ENXIO', 'EACCES', 'EAGAIN'];
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a file that a program may have replaced: never through a link, and without waiting for the other end of a pipe or the holder of a lease. */
export function openPlainFile(file: string): number {
  const fd = openWithoutLink(file);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw replacedFile(file);
}

/** The same as a handle. */
export async function openPlainHandle(file: string): Promise<FileHandle> {
  const handle = await open(file, FLAGS).catch((error: unknown) => {
    throw withoutFile(error, file);
  });
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw replacedFile(file);
}

/** The first bytes of such a file as text; undefined where there is no plain file. */
export function readPlainStart(file: string, maxBytes = START_BYTES): string | undefined {
  let fd: number;
  try {
    fd = openPlainFile(file);
  } catch (error) {
    if (isAbsent(error) || isReplaced(error)) return undefined;
    throw error;
  }
  try {
    const bytes = Buffer.alloc(maxBytes);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, maxBytes, 0));
  } finally {
    closeSync(fd);
  }
}

/** Whether a file could not be opened because it is no plain file any more. */
export function isReplaced(error: unknown): boolean {
  return error instanceof AppError && error.code === 'REFUSED';
}

function openWithoutLink(file: string): number {
  try {
    return openSync(file, FLAGS);
  } catch (error) {
    throw withoutFile(error, file);
  }
}

/** A link and a socket cannot be opened in this way, nor what the program keeps from being read, by its mode or by a lease. */
function withoutFile(error: unknown, file: string): unknown {
  return NO_PLAIN_FILE.includes(errorCode(error) ?? '') ? replacedFile(file) : error;
}

function replacedFile(file: string): AppError {
  return new AppError(
    'REFUSED',
    `${file} was replaced by something that is not a plain file, or is kept from being read`,
    { file },
  );
}
