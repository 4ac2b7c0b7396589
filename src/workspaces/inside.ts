import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { AppError, isAbsent } from '../errors.ts';

/** Whether a path is inside a folder; both already resolved. */
export function isInside(folder: string, path: string): boolean {
  const relativePath = relative(folder, path);
  return (
    relativePath !== '' && relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath)
  );
}

/** The real path of a path in a folder, undefined if it does not exist; a link to outside the folder is refused. */
export async function resolveInside(folder: string, path: string): Promise<string | undefined> {
  const [root, realPath] = await Promise.all([realpath(folder), realpathIfExists(join(folder, path))]);
  if (realPath === undefined) return undefined;
  if (isInside(root, realPath)) return realPath;
  throw new AppError(
    'CONFIG_INVALID',
    `${path} is outside ${folder}, at ${realPath}; only files inside it are copied`,
    {
      path,
      realPath,
    },
  );
}

/** The path to create in a folder, undefined if its parent does not exist; a parent outside the folder is refused. */
export async function targetInside(folder: string, path: string): Promise<string | undefined> {
  const target = join(folder, path);
  const [root, parent] = await Promise.all([realpath(folder), realpathIfExists(dirname(target))]);
  if (parent === undefined) return undefined;
  if (parent === root || isInside(root, parent)) return target;
  throw new AppError('REFUSED', `${path} would be written outside ${folder}, to ${parent}`, { path, parent });
}

async function realpathIfExists(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
