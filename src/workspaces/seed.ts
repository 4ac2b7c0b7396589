import { createHash } from 'node:crypto';
import { mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { exists } from '../git/path-kind.ts';
import { isMountedAnywhere } from '../process/proc-stat.ts';
import { removeLater, removeTree } from '../process/remove-later.ts';
import type { Contain } from '../process/sandbox/sandbox.ts';
import type { Config } from '../schema/config.ts';
import { crashpoint, realWorld, type World } from '../world.ts';
import { copyTree, namesIn } from './copy-tree.ts';
import {
  copyIncluded,
  describeIncluded,
  foldersToCopy,
  isVirtualEnvironment,
  modifiedAt,
  namesPackagesOutside,
} from './included.ts';
import { isInside, targetInside } from './inside.ts';
import {
  copiedText,
  findCreatedPaths,
  hashTree,
  listPaths,
  measureTree,
  readManifest,
  type SeedManifest,
  sizeText,
  type TreeSize,
} from './seed-manifest.ts';
import { type PreparationObserver, runSetup } from './setup.ts';
import { keepingCaches, pruneCaches } from './shown-layers.ts';

export interface SeedOptions {
  home: string;
  project: string;
  /** The user's checkout: read, never written. */
  root: string;
  config: Config['workspace'];
  lockHash: string;
  env: Record<string, string>;
  /** Puts a set-up command into its sandbox. */
  contain?: Contain | undefined;
  /** Creates a clean checkout in which the set-up runs; called only if there is no seed yet. */
  checkout(): Promise<AsyncDisposable & { path: string }>;
  signal: AbortSignal;
  observer?: PreparationObserver | undefined;
}

/** Prepared dependencies, of which every workspace gets a copy. */
export interface Seed {
  key: string;
  files: string;
  entries: readonly string[];
  /** The set-up creates nothing that can be copied, so it runs in every workspace. */
  runInEach: boolean;
  /** What the set-up has added to package caches, where it ran in a sandbox. */
  caches?: string;
  size?: TreeSize | undefined;
}

/** The seed of a workspace that gets no dependencies. */
export const EMPTY_SEED: Seed = { key: '', files: '', entries: [], runInEach: false };

/** Files in which installers record what they have installed. */
const INSTALL_MARKERS = ['', '.package-lock.json', '.modules.yaml', '.yarn-integrity', '.yarn-state.yml'];

const CACHES = 'caches';
const REPLACED = 'replaced-';

/** Removes what killed engines left of seeds, and seeds that were replaced, except those that a program still sees. */
export async function clearSeeds(seeds: string, removing: string): Promise<void> {
  for (const project of await namesIn(seeds)) {
    const folder = join(seeds, project);
    const leftovers = (await namesIn(folder)).filter((name) => /\.(making|replaced)-/.test(name));
    for (const name of leftovers) {
      const files = join(folder, name.slice(0, name.indexOf('.')), 'files');
      if (!name.includes(`.${REPLACED}`) || !isMountedAnywhere(files)) await removeLater(join(folder, name), removing);
    }
  }
}

/** Seeds that are being prepared, each with all who wait for it. */
const preparing = new Map<string, { done: Promise<unknown>; observers: Set<PreparationObserver> }>();

/** The seed for these set-up commands and lockfiles, created on first use and created again if it was changed. */
export async function prepareSeed(options: SeedOptions, world: World = realWorld): Promise<Seed> {
  const sources = await foldersToCopy(options, world);
  const key = await seedKey(options, sources);
  if (options.config.setup.length === 0 && sources.length === 0)
    return { key, files: '', entries: [], runInEach: false };
  const folder = join(options.home, 'seeds', options.project, key);
  const before = preparing.get(folder);
  const observers = before?.observers ?? new Set();
  if (options.observer !== undefined) observers.add(options.observer);
  const observer = sharedObserver(options.observer, observers);
  const create = () => findOrCreate({ ...options, observer, folder, sources, world });
  // After a failed or cancelled creation the next waiter tries again.
  const done = (before?.done ?? Promise.resolve()).then(create, create);
  preparing.set(folder, { done, observers });
  try {
    const { entries, runInEach, size } = await done;
    const caches = join(folder, CACHES);
    const kept = (await exists(caches)) ? { caches } : {};
    return { key, files: join(folder, 'files'), entries, runInEach, size, ...kept };
  } finally {
    if (options.observer !== undefined) observers.delete(options.observer);
    if (preparing.get(folder)?.done === done) preparing.delete(folder);
  }
}

/** Steps are shown to all who wait for the seed; the output of a set-up belongs to the one that runs it. */
function sharedObserver(
  own: PreparationObserver | undefined,
  all: ReadonlySet<PreparationObserver>,
): PreparationObserver {
  return {
    step: (step) => {
      for (const observer of all) observer.step(step);
    },
    setupEnded: async (ended) => own?.setupEnded(ended),
  };
}

/** Copies a seed into a workspace or checkout; existing entries are replaced with `replace`, else kept. */
export async function applySeed(
  seed: Seed,
  target: string,
  options: { replace: boolean; signal: AbortSignal; observer?: PreparationObserver | undefined },
): Promise<string[]> {
  const applied: string[] = [];
  if (seed.entries.length === 0) return applied;
  const onCopied = reportCopying(options.observer, seed.size);
  for (const entry of seed.entries) {
    const targetPath = await targetInside(target, entry);
    if (targetPath === undefined) continue;
    if (await exists(targetPath)) {
      if (!options.replace) continue;
      await removeTree(targetPath);
    }
    await copyTree(join(seed.files, entry), targetPath, options.signal, onCopied);
    applied.push(entry);
  }
  return applied;
}

/** Reports how much of the dependencies was copied, whenever more was. */
export function reportCopying(
  observer: PreparationObserver | undefined,
  total: TreeSize | undefined,
): (entries: number) => void {
  let copied = 0;
  const what = 'copies the dependencies';
  observer?.step({ kind: 'dependencies', what, ...(total === undefined ? {} : { detail: copiedText(0, total) }) });
  return (entries) => {
    copied += entries;
    observer?.step({ kind: 'dependencies', what, detail: copiedText(copied, total) });
  };
}

type SeedCreation = SeedOptions & { folder: string; sources: readonly string[]; world: World };

async function findOrCreate(creation: SeedCreation): Promise<SeedManifest> {
  creation.signal.throwIfAborted();
  const { observer } = creation;
  const known = await readManifest(join(creation.folder, 'seed.json'));
  const size = known?.size === undefined ? {} : { detail: sizeText(known.size) };
  if (known !== undefined)
    observer?.step({ kind: 'dependencies', what: 'verifies the prepared dependencies', ...size });
  if (known !== undefined && known.hash === (await hashIfExists(join(creation.folder, 'files')))) return known;
  await setAside(creation);
  const temporary = `${creation.folder}.making-${creation.world.token()}`;
  try {
    await mkdir(join(temporary, 'files'), { recursive: true, mode: 0o700 });
    crashpoint('seed.making');
    const created =
      creation.config.setup.length > 0
        ? await installSeed(creation, temporary)
        : await copyFolders(creation, temporary);
    observer?.step({ kind: 'dependencies', what: 'records the prepared dependencies' });
    const files = join(temporary, 'files');
    const { size: measured } = await measureTree(files);
    const manifest = { ...created, size: measured, hash: await hashTree(files) };
    await writeFile(join(temporary, 'seed.json'), JSON.stringify(manifest), { mode: 0o600 });
    await rename(temporary, creation.folder);
    crashpoint('seed.made');
    return manifest;
  } finally {
    await removeTree(temporary);
  }
}

/** Programs may still see a seed that was changed: it is removed when an engine starts and none does. */
async function setAside({ folder, world }: SeedCreation): Promise<void> {
  if (await exists(folder)) await rename(folder, `${folder}.${REPLACED}${world.token()}`);
}

type SeedContent = Omit<SeedManifest, 'hash' | 'size'>;

/** Runs the set-up in a checkout that has the copied folders and files; the seed is what it then has more than its commit. */
async function installSeed(creation: SeedCreation, temporary: string): Promise<SeedContent> {
  creation.observer?.step({ kind: 'workspace', what: 'creates a checkout for the set-up' });
  await using checkout = await creation.checkout();
  await copyIncluded({ ...creation, workspace: checkout.path, seeded: creation.sources });
  const before = await listPaths(checkout.path);
  await copySources(creation, checkout.path);
  const copied = await findCreatedPaths(checkout.path, before);
  const copiedHash = await hashPaths(checkout.path, copied);
  const caches = join(temporary, CACHES);
  const contain = keepingCaches(creation.contain, caches);
  await runSetup({ ...creation, contain, commands: creation.config.setup, cwd: checkout.path }, creation.world);
  await pruneCaches(caches);
  const entries = await findCreatedPaths(checkout.path, before);
  const isUnchanged = entries.length === copied.length && (await hashPaths(checkout.path, copied)) === copiedHash;
  if (isUnchanged || (await isBoundToPath(checkout.path, entries)))
    return { ...(await copyFolders(creation, temporary)), runInEach: true };
  const files = join(temporary, 'files');
  for (const entry of entries) {
    await mkdir(dirname(join(files, entry)), { recursive: true });
    await rename(join(checkout.path, entry), join(files, entry));
  }
  await relocateLinks({ copy: files, original: checkout.path }, '');
  return { entries, runInEach: false };
}

async function hashPaths(root: string, paths: readonly string[]): Promise<string> {
  const hashes = await Promise.all(paths.map(async (path) => [path, await hashIfExists(join(root, path))]));
  return JSON.stringify(hashes);
}

/** Whether a copy elsewhere would not work, so that the set-up must run in each workspace. */
async function isBoundToPath(root: string, entries: readonly string[]): Promise<boolean> {
  for (const entry of entries) if (await isVirtualEnvironment(join(root, entry))) return true;
  return namesPackagesOutside(root, entries);
}

async function copyFolders(creation: SeedCreation, temporary: string): Promise<SeedContent> {
  const files = join(temporary, 'files');
  for (const source of creation.sources) await mkdir(dirname(join(files, source)), { recursive: true });
  await copySources(creation, files);
  return { entries: [...creation.sources], runInEach: false };
}

/** Copies the folders of the user's checkout to the same paths, except where the parent is missing or the path is in use. */
async function copySources(creation: SeedCreation, target: string): Promise<void> {
  const { sources, observer, root, signal } = creation;
  if (sources.length === 0) return;
  observer?.step({ kind: 'dependencies', what: 'measures the installed dependencies' });
  const onCopied = reportCopying(observer, await sizeOf(creation));
  for (const source of sources) {
    const path = await targetInside(target, source);
    if (path === undefined || (await exists(path))) continue;
    await copyTree(join(root, source), path, signal, onCopied);
    await relocateLinks({ copy: target, original: root }, source);
  }
}

async function sizeOf({ root, sources }: SeedCreation): Promise<TreeSize> {
  const total: TreeSize = { files: 0, bytes: 0 };
  for (const source of sources) {
    const { files, bytes } = (await measureTree(join(root, source))).size;
    total.files += files;
    total.bytes += bytes;
  }
  return total;
}

async function seedKey(options: SeedOptions, sources: readonly string[]): Promise<string> {
  const { setup, copyDirs, docker } = options.config;
  const markers = sources.flatMap((source) => INSTALL_MARKERS.map((marker) => join(options.root, source, marker)));
  const times = await Promise.all(markers.map(modifiedAt));
  const installs = setup.length === 0 && sources.length > 0 ? null : options.lockHash;
  const included = setup.length === 0 ? '' : await describeIncluded(options);
  const facts = [setup, copyDirs, docker ?? null, installs, process.platform, process.arch, sources, times];
  if (included !== '') facts.push(included);
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32);
}

async function hashIfExists(folder: string): Promise<string | undefined> {
  return (await exists(folder)) ? hashTree(folder) : undefined;
}

type Trees = { copy: string; original: string };

/** Makes absolute links into the original folder relative, so that no copy points into the original. */
async function relocateLinks(trees: Trees, folder: string): Promise<void> {
  for (const entry of await readdir(join(trees.copy, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) await relocate(trees, path);
    else if (entry.isDirectory()) await relocateLinks(trees, path);
  }
}

async function relocate(trees: Trees, path: string): Promise<void> {
  const link = join(trees.copy, path);
  const target = await readlink(link);
  if (!isAbsolute(target) || !isInside(trees.original, target)) return;
  await rm(link);
  await symlink(relative(dirname(join(trees.original, path)), target), link);
}
