import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isAbsent } from '../errors.ts';
import { exists } from '../git/path-kind.ts';
import { ignoredFiles } from '../git/read/repository.ts';
import type { Config } from '../schema/config.ts';
import { realWorld, type World } from '../world.ts';

/** Where folders are copied from: the user's checkout, which is read and never written. */
export type CopySource = { root: string; config: Pick<Config['workspace'], 'copyDirs' | 'setup'> };

/** How long a list of the ignored folders in a checkout is reused. */
const CACHE_MS = 2_000;

/** A set-up command that installs `node_modules` at the top of the repository. */
const INSTALLS_MODULES =
  /^(yarn|(npm|pnpm|yarn|bun) (ci|i|install|clean-install))( -(?!C)\w+| --(?!prefix|dir|cwd)[\w-]+(=\S+)?)*$/;

const ignoredCache = new Map<string, { changed: number | null; at: number; folders: Promise<string[]> }>();

/**
 * The ignored folders of the user's checkout that `copyDirs` lists. A set-up gets neither the `node_modules` that it
 * installs itself nor a Python environment, whose scripts would still start the user's own.
 */
export async function foldersToCopy({ root, config }: CopySource, world: World = realWorld): Promise<string[]> {
  const { copyDirs, setup } = config;
  if (copyDirs.length === 0) return [];
  const isListed = (path: string) =>
    copyDirs.some((dir) => path === dir || (!dir.includes('/') && path.endsWith(`/${dir}`)));
  const listed = (await listIgnored(root, world)).map((path) => path.slice(0, -1)).filter(isListed);
  if (setup.length === 0) return listed;
  const commands = setup.flatMap((command) => (typeof command === 'string' ? command : command.join(' ')));
  const installsModules = commands.some((command) => INSTALLS_MODULES.test(command.split(/&&|;/)[0]?.trim() ?? ''));
  const kept: string[] = [];
  for (const path of listed) {
    if (installsModules && /(^|\/)node_modules$/.test(path)) continue;
    if (!(await isVirtualEnvironment(join(root, path)))) kept.push(path);
  }
  return kept;
}

/** A Python environment contains its own path, so a copy elsewhere does not work. */
export function isVirtualEnvironment(folder: string): Promise<boolean> {
  return exists(join(folder, 'pyvenv.cfg'));
}

/** When a file or folder was last modified; null if it does not exist. */
export async function modifiedAt(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** Shared by workspaces that are created concurrently; a change in the checkout's top folder is seen at once, one below after the cache time. */
async function listIgnored(root: string, world: World): Promise<string[]> {
  const changed = await modifiedAt(root);
  const last = ignoredCache.get(root);
  if (last !== undefined && last.changed === changed && world.now() - last.at < CACHE_MS) return last.folders;
  const folders = ignoredFiles({ root }).then((paths) => paths.filter((path) => path.endsWith('/')));
  ignoredCache.set(root, { changed, at: world.now(), folders });
  // After a failure the next caller tries again.
  folders.catch(() => ignoredCache.delete(root));
  return folders;
}
