import { lstat, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { AppError, isAbsent } from '../errors.ts';

/** The full path of a file in a project; refused where a link on the way, or the file itself, leads out of the project. */
export async function requireInsideProject(root: string, path: string): Promise<string> {
  const file = join(root, path);
  const top = await realpath(root);
  for (let current = file; current !== root; current = dirname(current)) {
    const real = await realPathIfPresent(current);
    if (real === undefined) continue;
    const way = relative(top, real);
    if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
      throw new AppError('INIT_REFUSED', `${path} leads out of the project, to ${real}`, { path, real });
    return file;
  }
  return file;
}

/** Whether anything exists at a path, even a broken link. */
export async function pathExists(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

async function realPathIfPresent(current: string): Promise<string | undefined> {
  try {
    return await realpath(current);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
