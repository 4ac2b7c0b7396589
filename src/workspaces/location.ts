import { mkdir, readlink, realpath, rm, symlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { AppError, errorCode } from '../errors.ts';
import { isInside } from './inside.ts';

/** The setting `workspace.dir`, and the folder that it is relative to: the repository. */
export type WorkspaceFolder = { dir: string | undefined; root: string };

/** The folder that contains the workspaces of a project; by default that of the data directory. */
export function workspaceFolder({ dir, root }: WorkspaceFolder, standard: string): string {
  if (dir === undefined) return standard;
  return resolve(root, dir.replace(/^~(?=\/|$)/, homedir()));
}

/** Refuses a folder of workspaces inside the repository, where git would report them as untracked files. */
export async function requireOutside(folder: WorkspaceFolder): Promise<void> {
  const { dir, root } = folder;
  if (dir === undefined) return;
  const path = await nearestRealPath(workspaceFolder(folder, root));
  const repository = await realpath(root);
  if (path !== repository && !isInside(repository, path)) return;
  throw new AppError('CONFIG_INVALID', `workspace.dir is ${path}, which is inside the repository ${root}`, { dir });
}

/** Records where a workspace is, as a link in the data directory, by which maintenance finds it. */
export async function linkWorkspace(standard: string, path: string): Promise<void> {
  if (dirname(path) === standard) return;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const link = join(standard, basename(path));
  if ((await readlink(link).catch(() => undefined)) === path) return;
  await rm(link, { force: true });
  await symlink(path, link);
}

/** Removes the link of a workspace that was removed. */
export async function unlinkWorkspace(standard: string, path: string): Promise<void> {
  if (dirname(path) !== standard) await rm(join(standard, basename(path)), { force: true });
}

/** The real path of a folder that may not exist yet. */
async function nearestRealPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    return join(await nearestRealPath(dirname(path)), basename(path));
  }
}
