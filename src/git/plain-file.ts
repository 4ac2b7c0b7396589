import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { errorCode } from '../errors.ts';

const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Reads a file that an agent may have created: never through a symbolic link, never from a pipe or device, never more
 * than the limit. Undefined when there is no such plain file.
 */
export async function readPlainFile(file: string, maxBytes = MAX_BYTES): Promise<Buffer | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(file, flags).catch((error: unknown) => {
    if (NO_PLAIN_FILE.includes(errorCode(error) ?? '')) return undefined;
    throw error;
  });
  if (handle === undefined) return undefined;
  try {
    const stat = await handle.stat();
    return stat.isFile() && stat.size <= maxBytes ? await handle.readFile() : undefined;
  } finally {
    await handle.close();
  }
}

/** The same as text, empty when there is none. */
export async function readPlainText(file: string, maxBytes = MAX_BYTES): Promise<string> {
  return (await readPlainFile(file, maxBytes))?.toString('utf8') ?? '';
}

const NO_PLAIN_FILE = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENXIO', 'EACCES', 'ENAMETOOLONG'];
