import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { AppError, isAbsent } from '../errors.ts';

/** Whether a path lies in a folder; both already resolved. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The real place of a path in a folder, nothing if it is not there; a link that leads out of the folder is refused. */
export async function resolveInside(folder: string, path: string): Promise<string | undefined> {
  const [root, place] = await Promise.all([realpath(folder), realpathIfThere(join(folder, path))]);
  if (place === undefined) return undefined;
  if (isInside(root, place)) return place;
  throw new AppError('CONFIG_INVALID', `${path} leads out of ${folder}, to ${place}; only files inside it are copied`, {
    path,
    place,
  });
}

/** Where a path would be made in a folder, nothing if the folder around it is missing; a folder that leads out is refused. */
export async function placeInside(folder: string, path: string): Promise<string | undefined> {
  const target = join(folder, path);
  const [root, around] = await Promise.all([realpath(folder), realpathIfThere(dirname(target))]);
  if (around === undefined) return undefined;
  if (around === root || isInside(root, around)) return target;
  throw new AppError('REFUSED', `${path} would be written outside of ${folder}, to ${around}`, { path, around });
}

async function realpathIfThere(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
