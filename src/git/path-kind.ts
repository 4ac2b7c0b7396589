import { lstatSync, type Stats } from 'node:fs';
import { isAbsent } from '../errors.ts';

/** Whether a path exists, also as a dangling link. */
export async function exists(path: string): Promise<boolean> {
  return (await lstatIfExists(path)) !== undefined;
}

/** Whether a path is a folder, not a link to one. */
export async function isFolder(path: string): Promise<boolean> {
  return (await lstatIfExists(path))?.isDirectory() ?? false;
}

/** The status of a path without following links; undefined if it does not exist. Read at once: a request to another thread costs ten times as much. */
export async function lstatIfExists(path: string): Promise<Stats | undefined> {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
