import { type GitOptions, git } from '../git.ts';
import { withoutAttributes } from '../git-stream.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import type { Between } from './diff.ts';

/** A path that work changed: in its result (`commit` is undefined), or only in an intermediate commit that was undone later. */
export type TouchedPath = { path: string; commit: string | undefined };

const TIMEOUT_MS = 300_000;
const MAX_FOUND = 64;
const MAX_ENTRIES = 10_000;
/** The number of bytes of a binary file that count as one line. */
const BYTES_A_LINE = 80;

/** Every path, old and new names alike, that differs between two commits or that any commit between them changed. */
export async function touchedPaths(mirror: Mirror, between: Between, signal?: AbortSignal): Promise<TouchedPath[]> {
  const { steps, changed } = await changesBetween(mirror, between, signal);
  const touched = new Map<string, string | undefined>();
  for (const { commit, path } of steps) touched.set(path, commit.split(' ', 1)[0]);
  for (const { path } of changed) touched.set(path, undefined);
  return [...touched].map(([path, commit]) => ({ path, commit }));
}

/** The paths in which two commits differ. */
export async function changedPaths(mirror: Mirror, between: Between, signal?: AbortSignal): Promise<string[]> {
  return (await changesBetween(mirror, between, signal)).changed.map(({ path }) => path);
}

/** The regular files that are new or different in the later of two commits, with the ids of their contents. */
export async function changedBlobs(
  mirror: Mirror,
  between: Between,
  signal?: AbortSignal,
): Promise<{ path: string; oid: string }[]> {
  const { changed } = await changesBetween(mirror, between, signal);
  return changed.flatMap(({ path, mode, oids }) => (mode.startsWith('100') ? [{ path, oid: oids[1] ?? '' }] : []));
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

type Entry = { commit: string; path: string; mode: string; oids: string[] };
/** What each commit between two others changed, and the total change. */
type ChangeSet = { steps: Entry[]; changed: Entry[] };

/** Commits never change, so readers of the same range share one result. */
const cache = new Map<string, Promise<ChangeSet>>();

function changesBetween(mirror: Mirror, between: Between, signal?: AbortSignal): Promise<ChangeSet> {
  const key = `${between.from} ${between.to} ${mirror.dir}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const pending = readChanges(mirror, between, signal);
  cache.set(key, pending);
  for (const oldest of cache.keys()) {
    if (cache.size <= MAX_FOUND) break;
    cache.delete(oldest);
  }
  const evict = () => cache.delete(key);
  pending.then(({ steps }) => steps.length > MAX_ENTRIES && evict(), evict);
  return pending;
}

async function readChanges(mirror: Mirror, between: Between, signal?: AbortSignal): Promise<ChangeSet> {
  if (between.from === between.to) return { steps: [], changed: [] };
  const how = ['log', '-z', '--format=%H %P', '--raw', '--no-abbrev', '--no-renames', '--diff-merges=first-parent'];
  const log = await git([...how, '--end-of-options', between.to, `^${between.from}`], options(mirror, signal));
  const steps = rawEntries(log.stdout);
  // The changes of a single commit on top of the other are the difference between the two.
  const isOneStep = steps.length > 0 && steps.every(({ commit }) => commit === `${between.to} ${between.from}`);
  return { steps, changed: isOneStep ? steps : await treeChanges(mirror, between, signal) };
}

async function binaryLines(
  mirror: Mirror,
  { paths, ...between }: Between & { paths: ReadonlySet<string> },
  signal?: AbortSignal,
): Promise<number> {
  const changes = await treeChanges(mirror, between, signal);
  const oids = changes.filter(({ path }) => paths.has(path)).flatMap((change) => change.oids);
  const input = `${oids.filter((oid) => !/^0+$/.test(oid)).join('\n')}\n`;
  const { stdout } = await git(['cat-file', '--batch-check=%(objectsize)'], { ...options(mirror, signal), input });
  // A line that is not a number belongs to a submodule's commit, which is not in the mirror.
  const sizes = stdout.split('\n').map(Number).filter(Number.isFinite);
  return sizes.reduce((sum, size) => sum + Math.ceil(size / BYTES_A_LINE), 0);
}

async function treeChanges(mirror: Mirror, { from, to }: Between, signal?: AbortSignal): Promise<Entry[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--end-of-options', from, to];
  return rawEntries((await git(args, options(mirror, signal))).stdout);
}

/** Of `--raw -z`: a row that begins with a colon has its path in the next field; any other field names a commit. */
function rawEntries(text: string): Entry[] {
  const entries: Entry[] = [];
  const fields = text.split('\0');
  let commit = '';
  for (let at = 0; at < fields.length; at += 1) {
    const field = (fields[at] ?? '').trimStart();
    if (field.startsWith(':')) {
      at += 1;
      const [, mode = '', before = '', after = ''] = field.split(' ');
      entries.push({ commit, path: fields[at] ?? '', mode, oids: [before, after] });
    } else if (field !== '') commit = field;
  }
  return entries;
}

function options(mirror: Mirror, signal: AbortSignal | undefined): GitOptions {
  const env = { GIT_LITERAL_PATHSPECS: '1', ...withoutAttributes(mirror) };
  return { gitDir: mirror.dir, timeoutMs: TIMEOUT_MS, env, ...(signal === undefined ? {} : { signal }) };
}
