import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import { git } from '../git.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { type CommitGraph, reachable } from '../read/commit-graph.ts';
import { objectSize, readCommit, readTree, TREE_MODE } from '../read/objects.ts';
import { copyIndex, privateIndexFile } from './private-index.ts';

/** The most that a workspace may add to, or change in, the commit that it started from. */
export type WorkLimits = { files: number; fileBytes: number };

const MEGABYTE = 1024 * 1024;
const LIST_TIMEOUT_MS = 300_000;
/** So many take a millisecond at most; then others get their turn. */
const SIZES_PER_TURN = 256;
/** So many are read within two milliseconds; for more, git is faster. */
const FEW_FILES = 500;
const DAY_MS = 86_400_000;
const SUBMODULE_MODE = '160000';

type WorkInFiles = {
  mirror: Mirror;
  path: string;
  /** The commit that the work started from. */
  base: string;
  exclude: readonly string[];
  scratch: string;
  now: number;
  signal?: AbortSignal;
};

/** Refuses files that would take minutes to store, with the name of the limit. */
export async function requireFilesWithin(work: WorkInFiles, limits: WorkLimits): Promise<void> {
  const { mirror, path, base, exclude, signal } = work;
  if (isSmall(path, limits)) return;
  const indexFile = join(work.scratch, 'listing-index');
  // Files are compared by size and time alone: one of the size that it had is within the limits.
  const hasIndex = await copyIndex(privateIndexFile(mirror, path), indexFile, work.now + DAY_MS);
  if (!hasIndex) await git(['read-tree', base], { gitDir: mirror.dir, workTree: path, indexFile });
  const pathspecs = [':(top)', ...exclude.map((each) => `:(top,exclude,literal)${each.replace(/\/+$/, '')}`)];
  const { stdout } = await git(['ls-files', '-o', '-m', '-z', '--exclude-standard', '--', ...pathspecs], {
    gitDir: mirror.dir,
    workTree: path,
    indexFile,
    timeoutMs: LIST_TIMEOUT_MS,
    ...(signal === undefined ? {} : { signal }),
  });
  const files = stdout.split('\0').filter((each) => each !== '');
  if (files.length > limits.files) throw tooLarge(path, `${files.length} files are changed`, 'workFiles', limits.files);
  for (const [index, file] of files.entries()) {
    if (index % SIZES_PER_TURN === SIZES_PER_TURN - 1) await nextTurn();
    const size = sizeOf(join(path, file));
    if (size > limits.fileBytes)
      throw tooLarge(path, `${file} has ${Math.round(size / MEGABYTE)} MB`, 'workFileMb', limits.fileBytes / MEGABYTE);
  }
}

/** Whether a folder has so few and small files that they are within the limits, whichever of them are changed. */
function isSmall(path: string, limits: WorkLimits): boolean {
  const most = Math.min(limits.files, FEW_FILES);
  const folders = [path];
  let count = 0;
  try {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        const file = join(folder, entry.name);
        count += 1;
        if (count > most) return false;
        if (entry.isDirectory()) folders.push(file);
        else if (lstatSync(file).size > limits.fileBytes) return false;
      }
    }
    return true;
  } catch {
    // Git lists what can be read.
    return false;
  }
}

function sizeOf(file: string): number {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    // A file that was deleted, or whose folder became a file, is listed too.
    return 0;
  }
}

type WorkInCommits = { mirror: Mirror; path: string; graph: CommitGraph; head: string };

/**
 * Refuses commits that no program could lay out or compare: a few small trees that contain each other are billions of
 * files. Each tree is read once, however often it is contained.
 */
export async function requireCommitsWithin(work: WorkInCommits, limits: WorkLimits): Promise<void> {
  const { mirror, graph, head } = work;
  const comparison: Comparison = { work, limits, compared: new Map(), treesRead: 0 };
  for (const commit of reachable(graph, [head])) {
    const facts = graph.get(commit);
    if (facts === undefined) continue;
    const [parent] = facts.parents;
    const from = parent === undefined ? undefined : (graph.get(parent) ?? (await readCommit(mirror, parent))).tree;
    await countChanged(comparison, { from, to: facts.tree });
  }
}

type Comparison = { work: WorkInCommits; limits: WorkLimits; compared: Map<string, number>; treesRead: number };

/** How many files a tree has that another one, if given, does not have at the same path. */
async function countChanged(all: Comparison, { from, to }: { from: string | undefined; to: string }): Promise<number> {
  const { work, limits, compared } = all;
  const known = compared.get(`${from} ${to}`);
  if (known !== undefined) return known;
  all.treesRead += 1;
  const earlier = new Map(
    (from === undefined ? [] : await readTree(work.mirror, from)).map((each) => [each.name, each]),
  );
  // A folder without files counts too.
  let count = from === undefined ? 1 : 0;
  const files: string[] = [];
  for (const { name, mode, oid } of await readTree(work.mirror, to)) {
    const before = earlier.get(name);
    if (before?.oid === oid && before.mode === mode) continue;
    if (mode === TREE_MODE) {
      count += await countChanged(all, { from: before?.mode === TREE_MODE ? before.oid : undefined, to: oid });
    } else {
      count += 1;
      if (mode !== SUBMODULE_MODE && before?.oid !== oid) files.push(oid);
    }
    if (count > limits.files || all.treesRead > limits.files)
      throw tooLarge(
        work.path,
        `more than ${limits.files} files are changed in its commits`,
        'workFiles',
        limits.files,
      );
  }
  for (const size of await Promise.all(files.map((oid) => objectSize(work.mirror, oid))))
    if (size > limits.fileBytes)
      throw tooLarge(
        work.path,
        `a file in its commits has ${Math.round(size / MEGABYTE)} MB`,
        'workFileMb',
        limits.fileBytes / MEGABYTE,
      );
  compared.set(`${from} ${to}`, count);
  return count;
}

function tooLarge(path: string, what: string, limit: 'workFiles' | 'workFileMb', most: number): AppError {
  return new AppError('WORK_TOO_LARGE', `${what}, and limits.${limit} is ${most}`, { path, limit: `limits.${limit}` });
}
