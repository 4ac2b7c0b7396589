import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeWhole } from '../../config/write.ts';
import { AppError, errorCode, fromSystemError, isAbsent, messageOf } from '../../errors.ts';

const MOST_COPIES = 1_000;

/** Refuses a path at which something stands already, before anything is paid for. */
export async function requireFree(file: string): Promise<void> {
  if (await isThere(file)) throw taken(file);
}

/** Writes a file that is not there yet. With `force` it may be, and a copy of what stood there is kept: its path is given. */
export async function createFile(file: string, text: string, force: boolean): Promise<string | undefined> {
  try {
    if (force && (await isThere(file))) {
      const copy = await copyAside(file);
      await writeWhole(file, text);
      return copy;
    }
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
    return undefined;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw taken(file);
    const known = fromSystemError(error, `writing ${file}`);
    if (known instanceof AppError) throw known;
    throw new AppError('INPUT_INVALID', `${file} cannot be written: ${messageOf(error)}`, { file });
  }
}

async function copyAside(file: string): Promise<string> {
  for (let number = 1; number <= MOST_COPIES; number += 1) {
    const copy = number === 1 ? `${file}.bak` : `${file}.bak${number}`;
    try {
      await copyFile(file, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
  throw new AppError('REFUSED', `There are ${MOST_COPIES} copies of ${file} already; remove some`, { file });
}

async function isThere(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw fromSystemError(error, `looking at ${file}`);
  }
}

function taken(file: string): AppError {
  return new AppError('FILE_EXISTS', `${file} is there already and is not written over`, { file });
}
