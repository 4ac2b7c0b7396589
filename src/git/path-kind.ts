import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { isAbsent } from '../errors.ts';

/** Whether there is something at a path, be it a dangling link. */
export async function isThere(path: string): Promise<boolean> {
  return (await lstatIfThere(path)) !== undefined;
}

/** Whether a folder is there itself, not a link to one. */
export async function isFolder(path: string): Promise<boolean> {
  return (await lstatIfThere(path))?.isDirectory() ?? false;
}

/** What is at a path, a link as such; nothing if nothing is there. */
export async function lstatIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
