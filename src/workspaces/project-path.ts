import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { AppError, errorCode } from '../errors.ts';

/** Each folder of a path that does not exist is looked for. */
const MOST_FOLDERS = 200;

/** A folder of workspaces has one for each task, called by run and ordinal. */
const WORKSPACE_NAME = /^[0-9a-z]{8}-\d+$/;

/**
 * The path of a file in the repository, whichever way it is named: relative to the workspace, through a link, in another
 * workspace of the project, or in the user's repository. A path outside all of them is refused.
 */
export async function projectPath(
  given: string,
  { workspace, root }: { workspace: string; root: string },
): Promise<string> {
  if (given.includes('\0') || given.split('/').length > MOST_FOLDERS) throw outside(given);
  const path = await nearestRealPath(isAbsolute(given) ? resolve(given) : resolve(workspace, given));
  for (const folder of [workspace, root]) {
    const inside = pathBelow(await nearestRealPath(folder), path);
    if (inside !== undefined) return inside;
  }
  const inWorkspaces = pathBelow(await nearestRealPath(dirname(workspace)), path);
  const [name = '', ...rest] = inWorkspaces?.split('/') ?? [];
  if (WORKSPACE_NAME.test(name)) return rest.join('/');
  throw outside(given);
}

function pathBelow(folder: string, path: string): string | undefined {
  const found = relative(folder, path);
  return found === '..' || found.startsWith('../') || isAbsolute(found) ? undefined : found;
}

/** The real path of something that may not exist yet. */
async function nearestRealPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (
      !['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'ENAMETOOLONG'].includes(errorCode(error) ?? '') ||
      dirname(path) === path
    )
      throw error;
    return join(await nearestRealPath(dirname(path)), basename(path));
  }
}

function outside(path: string): AppError {
  return new AppError('INPUT_INVALID', `${path} is not in the repository`, { path });
}
