import { lstat, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { AppError, isAbsent } from '../errors.ts';

/** The full path of a file in a project; refused where a link on the way, or the file itself, leads out of the project. */
export async function requirePlace(root: string, path: string): Promise<string> {
  const file = join(root, path);
  const top = await realpath(root);
  for (let place = file; place !== root; place = dirname(place)) {
    const real = await realIfThere(place);
    if (real === undefined) continue;
    const way = relative(top, real);
    if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
      throw new AppError('INIT_REFUSED', `${path} leads out of the project, to ${real}`, { path, real });
    return file;
  }
  return file;
}

/** Whether anything stands at a path, be it a link that leads nowhere. */
export async function isTaken(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

async function realIfThere(place: string): Promise<string | undefined> {
  try {
    return await realpath(place);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
