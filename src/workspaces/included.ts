import { copyFile, lstat, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../errors.ts';
import { git } from '../git/git.ts';
import { exists } from '../git/path-kind.ts';
import type { Config } from '../schema/config.ts';
import { resolveInside, targetInside } from './inside.ts';

const INCLUDE_FILE = '.worktreeinclude';

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
