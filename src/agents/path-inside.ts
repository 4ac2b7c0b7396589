import { lstat, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { errorCode } from '../errors.ts';

/** The absolute path of a file in the workspace, or undefined when it (or a symbolic link in its path) leads outside. */
export async function pathInside(workspace: string, path: string): Promise<string | undefined> {
  const root = await realpath(workspace);
  const target = resolve(root, path);
  const real = await realpathOfNearest(target);
  return real !== undefined && (real === root || real.startsWith(root + sep)) && target !== root ? target : undefined;
}

/** The real path of the file, or of the nearest folder above that exists; undefined for a dangling link. */
async function realpathOfNearest(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') return undefined;
  }
  return (await exists(path)) ? undefined : realpathOfNearest(dirname(path));
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    // Missing or not accessible: its folder decides.
    return false;
  }
}

/** A path for display: relative to the workspace if it is inside, else unchanged. */
export function shownPath(workspace: string, path: string): string {
  const inside = relative(workspace, resolve(workspace, path));
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? path : inside;
}
