import { copyFile, lstat, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, isAbsent } from '../errors.ts';
import { git } from '../git/git.ts';
import { exists } from '../git/path-kind.ts';
import { readPlainText } from '../git/plain-file.ts';
import { ignoredFiles } from '../git/read/repository.ts';
import type { Config } from '../schema/config.ts';
import { realWorld, type World } from '../world.ts';
import { resolveInside, targetInside } from './inside.ts';

const INCLUDE_FILE = '.worktreeinclude';

/** How long a list of the ignored folders in a checkout is reused. */
const CACHE_MS = 2_000;

/** A set-up command that installs `node_modules` at the top of the repository. */
const INSTALLS_MODULES =
  /^(yarn|(npm|pnpm|yarn|bun) (ci|i|install|clean-install))( -(?!C)\w+| --(?!prefix|dir|cwd)[\w-]+(=\S+)?)*$/;

/** Where Yarn's Plug'n'Play lists packages; a location that begins above the project, or names more than one folder above `.yarn`, is outside. */
const YARN_PACKAGES = /(^|\/)\.pnp\.(cjs|data\.json)$/;
const OUTSIDE = /"packageLocation":\s*"(\.\.\/|\/|[^"]*\/__virtual__\/[^/"]+\/([2-9]|\d\d)\/)/;

const ignoredCache = new Map<string, { changed: number | null; at: number; folders: Promise<string[]> }>();

interface IncludedFiles {
  /** The user's checkout: read, never written. */
  root: string;
  config: Config['workspace'];
  signal: AbortSignal;
}

interface Inclusion extends IncludedFiles {
  /** The workspace or checkout that gets the files. */
  workspace: string;
  /** Folders that come from the seed and are not copied a second time. */
  seeded: readonly string[];
}

/** Copies the ignored files that the user listed in `copyFiles` or `.worktreeinclude`; returns those that were copied. */
export async function copyIncluded(options: Inclusion): Promise<string[]> {
  const isSeeded = (path: string) => options.seeded.some((folder) => path === folder || path.startsWith(`${folder}/`));
  const copied: string[] = [];
  for (const path of await listFiles(options)) {
    options.signal.throwIfAborted();
    if (!isSeeded(path) && (await copyOne(path, options))) copied.push(path);
  }
  return copied;
}

/** A text that changes when a listed file does, by name, size or time; empty where none is listed. */
export async function describeIncluded(options: IncludedFiles): Promise<string> {
  const lines: string[] = [];
  for (const path of await listFiles(options)) {
    const source = await resolveInside(options.root, path);
    if (source === undefined) continue;
    const { size, mtimeMs, mode } = await stat(source);
    lines.push(`${path}\0${size} ${mtimeMs} ${mode}\0`);
  }
  return lines.sort().join('');
}

async function listFiles({ root, config, signal }: IncludedFiles): Promise<Set<string>> {
  const named = (await Promise.all(config.copyFiles.map((path) => filesAt(root, path)))).flat();
  return new Set([...named, ...(await includedFiles(root, signal))]);
}

async function filesAt(root: string, path: string): Promise<string[]> {
  const plain = path.replace(/^(\.\/)+/, '').replace(/\/+$/, '');
  const realPath = await resolveInside(root, plain);
  if (realPath === undefined) return [];
  return (await stat(realPath)).isDirectory() ? filesBelow(root, plain) : [plain];
}

async function filesBelow(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const below = entries.map(async (entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(root, path) : [path];
  });
  return (await Promise.all(below)).flat();
}

/** Files that match the patterns of the include file and are ignored as well. */
async function includedFiles(root: string, signal: AbortSignal): Promise<string[]> {
  if (!(await exists(join(root, INCLUDE_FILE)))) return [];
  const asUser = { cwd: root, asUser: true, signal };
  const matching = await git(['ls-files', '-o', '-i', `--exclude-from=${INCLUDE_FILE}`, '-z'], asUser);
  if (matching.stdout === '') return [];
  const ignored = await git(['check-ignore', '-z', '--stdin'], { ...asUser, input: matching.stdout, allow: [0, 1] });
  return ignored.stdout.split('\0').filter((path) => path !== '');
}

/** Files of the commit itself are never replaced: copies are not saved. */
async function copyOne(path: string, { root, workspace }: Inclusion): Promise<boolean> {
  const source = await resolveInside(root, path);
  if (source === undefined || source === (await realpath(root))) return false;
  const info = await lstat(source);
  if (!info.isFile())
    throw new AppError('CONFIG_INVALID', `${path} is neither a file nor a folder, so it cannot be copied`, { path });
  await makeFolders(workspace, dirname(path));
  const target = await targetInside(workspace, path);
  if (target === undefined || (await exists(target))) return false;
  await copyFile(source, target);
  return true;
}

async function makeFolders(workspace: string, folder: string): Promise<void> {
  if (folder === '.') return;
  await makeFolders(workspace, dirname(folder));
  const target = await targetInside(workspace, folder);
  if (target !== undefined && !(await exists(target))) await mkdir(target);
}

/** Where folders are copied from: the user's checkout, which is read and never written. */
export type CopySource = { root: string; config: Pick<Config['workspace'], 'copyDirs' | 'setup'> };

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

/** Yarn's list of packages names those of the cache by their paths from the project, so a copy at another depth finds none. */
export async function namesPackagesOutside(root: string, entries: readonly string[]): Promise<boolean> {
  for (const entry of entries)
    if (YARN_PACKAGES.test(entry) && OUTSIDE.test(await readPlainText(join(root, entry)))) return true;
  return false;
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
