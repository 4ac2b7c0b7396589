import { createHash } from 'node:crypto';
import { mkdir, readdir, readlink, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { isAbsent } from '../errors.ts';
import { exists } from '../git/path-kind.ts';
import { ignoredFiles } from '../git/read/repository.ts';
import type { Config } from '../schema/config.ts';
import { crashpoint, realWorld, type World } from '../world.ts';
import { copyTree, removeTree } from './copy-tree.ts';
import { findCreatedPaths, listPaths } from './created-paths.ts';
import { isInside, placeInside } from './inside.ts';
import { hashTree, readManifest, type SeedManifest } from './seed-manifest.ts';
import { runSetup } from './setup.ts';

export interface SeedOptions {
  home: string;
  project: string;
  /** The user's checkout: read, never written. */
  root: string;
  config: Config['workspace'];
  lockHash: string;
  env: Record<string, string>;
  /** Makes a clean checkout in which the set-up runs; asked for only if there is no seed yet. */
  checkout(): Promise<AsyncDisposable & { path: string }>;
  signal: AbortSignal;
}

/** Prepared dependencies: everybody gets a copy, nobody the original. */
export interface Seed {
  key: string;
  files: string;
  entries: readonly string[];
  /** The set-up leaves nothing that could be copied to another place, so it runs in every workspace. */
  runInEach: boolean;
}

/** Files by which installers mark what they have installed. */
const INSTALL_MARKS = ['', '.package-lock.json', '.modules.yaml', '.yarn-integrity', '.yarn-state.yml'];

/** For so long a list of the ignored folders in a checkout is believed. */
const LISTED_MS = 2_000;

const listed = new Map<string, { changed: number | null; at: number; folders: Promise<string[]> }>();
const preparing = new Map<string, Promise<unknown>>();

/** The seed for these set-up commands and lockfiles, made at first need and made again if anything in it was touched. */
export async function prepareSeed(options: SeedOptions, world: World = realWorld): Promise<Seed> {
  const sources = options.config.setup.length > 0 ? [] : await ignoredFolders(options, world);
  const key = await seedKey(options, sources);
  if (options.config.setup.length === 0 && sources.length === 0)
    return { key, files: '', entries: [], runInEach: false };
  const folder = join(options.home, 'seeds', options.project, key);
  const turn = (preparing.get(folder) ?? Promise.resolve()).then(
    () => findOrMake({ ...options, folder, sources, world }),
    // Whoever waited for one that failed or was cancelled tries for himself.
    () => findOrMake({ ...options, folder, sources, world }),
  );
  preparing.set(folder, turn);
  try {
    const { entries, runInEach } = await turn;
    return { key, files: join(folder, 'files'), entries, runInEach };
  } finally {
    if (preparing.get(folder) === turn) preparing.delete(folder);
  }
}

/** Copies a seed into a workspace or checkout; with `replace`, what stands in its place is removed first, else it is kept. */
export async function applySeed(
  seed: Seed,
  target: string,
  options: { replace: boolean; signal: AbortSignal },
): Promise<string[]> {
  const applied: string[] = [];
  for (const entry of seed.entries) {
    const place = await placeInside(target, entry);
    if (place === undefined) continue;
    if (await exists(place)) {
      if (!options.replace) continue;
      await removeTree(place);
    }
    await copyTree(join(seed.files, entry), place, options.signal);
    applied.push(entry);
  }
  return applied;
}

type Making = SeedOptions & { folder: string; sources: readonly string[]; world: World };

async function findOrMake(making: Making): Promise<SeedManifest> {
  making.signal.throwIfAborted();
  const known = await readManifest(join(making.folder, 'seed.json'));
  if (known !== undefined && known.hash === (await hashIfThere(join(making.folder, 'files')))) return known;
  await removeTree(making.folder);
  const temporary = `${making.folder}.making-${making.world.token()}`;
  try {
    await mkdir(join(temporary, 'files'), { recursive: true, mode: 0o700 });
    crashpoint('seed.making');
    const made = making.sources.length > 0 ? await copyFolders(making, temporary) : await installed(making, temporary);
    const manifest = { ...made, hash: await hashTree(join(temporary, 'files')) };
    await writeFile(join(temporary, 'seed.json'), JSON.stringify(manifest), { mode: 0o600 });
    await rename(temporary, making.folder);
    crashpoint('seed.made');
    return manifest;
  } finally {
    await removeTree(temporary);
  }
}

async function installed(making: Making, temporary: string): Promise<Omit<SeedManifest, 'hash'>> {
  await using checkout = await making.checkout();
  const before = await listPaths(checkout.path);
  await runSetup({ ...making, commands: making.config.setup, cwd: checkout.path }, making.world);
  const entries = await findCreatedPaths(checkout.path, before);
  if (entries.length === 0 || (await hasVirtualEnvironment(checkout.path, entries)))
    return { entries: [], runInEach: true };
  const files = join(temporary, 'files');
  for (const entry of entries) {
    await mkdir(dirname(join(files, entry)), { recursive: true });
    await rename(join(checkout.path, entry), join(files, entry));
  }
  await relocateLinks(files, checkout.path);
  return { entries, runInEach: false };
}

async function copyFolders(making: Making, temporary: string): Promise<Omit<SeedManifest, 'hash'>> {
  const files = join(temporary, 'files');
  for (const source of making.sources) {
    await mkdir(dirname(join(files, source)), { recursive: true });
    await copyTree(join(making.root, source), join(files, source), making.signal);
  }
  await relocateLinks(files, making.root);
  return { entries: [...making.sources], runInEach: false };
}

/** A Python environment knows its own path, so that a copy of it elsewhere does not work. */
async function hasVirtualEnvironment(root: string, entries: readonly string[]): Promise<boolean> {
  for (const entry of entries) if (await exists(join(root, entry, 'pyvenv.cfg'))) return true;
  return false;
}

async function ignoredFolders(options: SeedOptions, world: World): Promise<string[]> {
  const { symlinkDirs } = options.config;
  if (symlinkDirs.length === 0) return [];
  const folders = await listIgnored(options.root, world);
  const isWanted = (path: string) =>
    symlinkDirs.some((dir) => path === dir || (!dir.includes('/') && path.endsWith(`/${dir}`)));
  return folders.map((path) => path.slice(0, -1)).filter(isWanted);
}

/** Many workspaces are made at once and all ask the same; a change at the top of the checkout is seen at once, one below it after a moment. */
async function listIgnored(root: string, world: World): Promise<string[]> {
  const changed = await modifiedAt(root);
  const last = listed.get(root);
  if (last !== undefined && last.changed === changed && world.now() - last.at < LISTED_MS) return last.folders;
  const folders = ignoredFiles({ root }).then((paths) => paths.filter((path) => path.endsWith('/')));
  listed.set(root, { changed, at: world.now(), folders });
  // Who asks after a failure asks for himself.
  folders.catch(() => listed.delete(root));
  return folders;
}

async function seedKey(options: SeedOptions, sources: readonly string[]): Promise<string> {
  const { setup, symlinkDirs, docker } = options.config;
  const marks = sources.flatMap((source) => INSTALL_MARKS.map((mark) => join(options.root, source, mark)));
  const times = await Promise.all(marks.map(modifiedAt));
  const installs = sources.length > 0 ? null : options.lockHash;
  const facts = [setup, symlinkDirs, docker ?? null, installs, process.platform, process.arch, sources, times];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32);
}

async function modifiedAt(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

async function hashIfThere(folder: string): Promise<string | undefined> {
  return (await exists(folder)) ? hashTree(folder) : undefined;
}

/** Makes links that name the folder they were copied from relative, so that no copy leads back into the original. */
async function relocateLinks(copy: string, original: string): Promise<void> {
  await visit({ copy, original }, '');
}

async function visit(trees: { copy: string; original: string }, folder: string): Promise<void> {
  for (const entry of await readdir(join(trees.copy, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) await relocate(trees, path);
    else if (entry.isDirectory()) await visit(trees, path);
  }
}

async function relocate(trees: { copy: string; original: string }, path: string): Promise<void> {
  const link = join(trees.copy, path);
  const target = await readlink(link);
  if (!isAbsolute(target) || !isInside(trees.original, target)) return;
  await rm(link);
  await symlink(relative(dirname(join(trees.original, path)), target), link);
}
