import { closeSync, constants, fstatSync, openSync, readFile, readFileSync } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { errorCode } from '../errors.ts';

const MAX_BYTES = 64 * 1024 * 1024;
/** Read at once: a request to another thread costs more than reading so few bytes. */
const SMALL_BYTES = 64 * 1024;

/**
 * Reads a file that an agent may have created: never through a symbolic link, never from a pipe or device, never more
 * than the limit. Undefined when there is no such plain file.
 */
export async function readPlainFile(file: string, maxBytes = MAX_BYTES): Promise<Buffer | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const fd = openPlain(file, flags);
  if (fd === undefined) return undefined;
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > maxBytes) return undefined;
    return stat.size <= SMALL_BYTES ? readFileSync(fd) : await promisify(readFile)(fd);
  } finally {
    closeSync(fd);
  }
}

/** The same as text, empty when there is none. */
export async function readPlainText(file: string, maxBytes = MAX_BYTES): Promise<string> {
  return (await readPlainFile(file, maxBytes))?.toString('utf8') ?? '';
}

/** Replaces a file as a whole: after a power failure it has its old bytes or the new ones. */
export async function replaceFile(file: string, text: string): Promise<void> {
  {
    await using handle = await open(`${file}.new`, 'w', 0o600);
    await handle.writeFile(text);
    if (text !== '') await handle.sync();
  }
  await rename(`${file}.new`, file);
}

/** Deletes a file if it is there, by one call of the system; `rm` needs three. */
export async function deleteFile(file: string): Promise<void> {
  await unlink(file).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
}

function openPlain(file: string, flags: number): number | undefined {
  try {
    return openSync(file, flags);
  } catch (error) {
    if (NO_PLAIN_FILE.includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

const NO_PLAIN_FILE = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENXIO', 'EACCES', 'EAGAIN', 'ENAMETOOLONG'];
