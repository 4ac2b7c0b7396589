import { type GitOptions, git } from '../git.ts';
import { withoutAttributes } from '../git-stream.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { type Between, changesBetween, treeChanges } from './tree-changes.ts';

/** A path that work changed: in its result (`commit` is undefined), or only in an intermediate commit that was undone later. */
export type TouchedPath = { path: string; commit: string | undefined };

const TIMEOUT_MS = 300_000;
/** The number of bytes of a binary file that count as one line. */
const BYTES_A_LINE = 80;

/** Every path, old and new names alike, that differs between two commits or that any commit between them changed. */
export async function touchedPaths(mirror: Mirror, between: Between, signal?: AbortSignal): Promise<TouchedPath[]> {
  const { steps, changed } = await changesBetween(mirror, between);
  signal?.throwIfAborted();
  const touched = new Map<string, string | undefined>();
  for (const { commit, path } of steps) touched.set(path, commit.split(' ', 1)[0]);
  for (const { path } of changed) touched.set(path, undefined);
  return [...touched].map(([path, commit]) => ({ path, commit }));
}

/** The paths in which two commits differ. */
export async function changedPaths(mirror: Mirror, between: Between, signal?: AbortSignal): Promise<string[]> {
  const { changed } = await changesBetween(mirror, between);
  signal?.throwIfAborted();
  return changed.map(({ path }) => path);
}

/** The regular files that are new or different in the later of two commits, with the ids of their contents. */
export async function changedBlobs(
  mirror: Mirror,
  between: Between,
  signal?: AbortSignal,
): Promise<{ path: string; oid: string }[]> {
  const { changed } = await changesBetween(mirror, between);
  signal?.throwIfAborted();
  return changed.flatMap(({ path, modes, oids }) => (modes.after.startsWith('100') ? [{ path, oid: oids.after }] : []));
}

/** How many lines were added and deleted between two commits; a binary file counts by its bytes. */
export async function changedLines(mirror: Mirror, between: Between, signal?: AbortSignal): Promise<number> {
  const args = ['diff-tree', '-r', '-z', '--numstat', '--no-renames', '--end-of-options', between.from, between.to];
  const { stdout } = await git(args, options(mirror, signal));
  const binary = new Set<string>();
  let lines = 0;
  for (const entry of stdout.split('\0')) {
    const [added = '', deleted = '', ...path] = entry.split('\t');
    if (added === '-') binary.add(path.join('\t'));
    else lines += Number(added) + Number(deleted);
  }
  return binary.size === 0 ? lines : lines + (await binaryLines(mirror, { ...between, paths: binary }, signal));
}

async function binaryLines(
  mirror: Mirror,
  { paths, ...between }: Between & { paths: ReadonlySet<string> },
  signal?: AbortSignal,
): Promise<number> {
  const changes = await treeChanges(mirror, between);
  const oids = changes.filter(({ path }) => paths.has(path)).flatMap(({ oids: { before, after } }) => [before, after]);
  const input = `${oids.filter((oid) => !/^0+$/.test(oid)).join('\n')}\n`;
  const { stdout } = await git(['cat-file', '--batch-check=%(objectsize)'], { ...options(mirror, signal), input });
  // A line that is not a number belongs to a submodule's commit, which is not in the mirror.
  const sizes = stdout.split('\n').map(Number).filter(Number.isFinite);
  return sizes.reduce((sum, size) => sum + Math.ceil(size / BYTES_A_LINE), 0);
}

function options(mirror: Mirror, signal: AbortSignal | undefined): GitOptions {
  const env = { GIT_LITERAL_PATHSPECS: '1', ...withoutAttributes(mirror) };
  return { gitDir: mirror.dir, timeoutMs: TIMEOUT_MS, env, ...(signal === undefined ? {} : { signal }) };
}
