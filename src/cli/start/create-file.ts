import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeWhole } from '../../config/write.ts';
import { AppError, errorCode, fromSystemError, isAbsent, messageOf } from '../../errors.ts';

const MOST_COPIES = 1_000;

/** Rejects an existing path before any cost is incurred. */
export async function requireAbsent(file: string): Promise<void> {
  if (await exists(file)) throw fileExists(file);
}

/** Creates a file. With `force` it replaces an existing one, keeps a copy of that and returns the path of the copy. */
export async function createFile(file: string, text: string, force: boolean): Promise<string | undefined> {
  try {
    if (force && (await exists(file))) {
      const copy = await keepCopy(file);
      await writeWhole(file, text);
      return copy;
    }
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
    return undefined;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw fileExists(file);
    const known = fromSystemError(error, `writing ${file}`);
    if (known instanceof AppError) throw known;
    throw new AppError('INPUT_INVALID', `${file} cannot be written: ${messageOf(error)}`, { file });
  }
}

async function keepCopy(file: string): Promise<string> {
  for (let number = 1; number <= MOST_COPIES; number += 1) {
    const copy = number === 1 ? `${file}.bak` : `${file}.bak${number}`;
    try {
      await copyFile(file, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
  throw new AppError('REFUSED', `There are already ${MOST_COPIES} copies of ${file}; remove some`, { file });
}

async function exists(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw fromSystemError(error, `reading ${file}`);
  }
}

function fileExists(file: string): AppError {
  return new AppError('FILE_EXISTS', `${file} already exists and is not overwritten`, { file });
}
