import { withoutAttributes } from '../attributes.ts';
import { type GitOptions, git } from '../git.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import type { Between } from './diff.ts';

/** A path that work touched: in what it comes to, or only on the way there, in a commit that a later one undid. */
export type TouchedPath = { path: string; commit: string | undefined };

const TIMEOUT_MS = 300_000;
const MAX_FOUND = 64;
const MAX_ENTRIES = 10_000;
/** So many bytes of a file that has no lines count as one. */
const BYTES_A_LINE = 80;

/** Every path, old and new names alike, that differs between two commits or that any commit between them changed. */
export async function touchedPaths(mirror: Mirror, between: Between, signal?: AbortSignal): Promise<TouchedPath[]> {
  const { passed, changed } = await passage(mirror, between, signal);
  const touched = new Map<string, string | undefined>();
  for (const { commit, path } of passed) touched.set(path, commit.split(' ', 1)[0]);
  for (const { path } of changed) touched.set(path, undefined);
  return [...touched].map(([path, commit]) => ({ path, commit }));
}

/** The paths in which two commits differ. */
export async function changedPaths(mirror: Mirror, between: Between, signal?: AbortSignal): Promise<string[]> {
  return (await passage(mirror, between, signal)).changed.map(({ path }) => path);
}

/** The regular files that are new or other in the later of two commits, with the ids of their contents. */
export async function changedBlobs(
  mirror: Mirror,
  between: Between,
  signal?: AbortSignal,
): Promise<{ path: string; oid: string }[]> {
  const { changed } = await passage(mirror, between, signal);
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
/** What the commits between two others changed, each by itself, and what it comes to. */
type Passage = { passed: Entry[]; changed: Entry[] };

/** Commits never change, so that those who look at the same ones, one after the other, share what was found. */
const found = new Map<string, Promise<Passage>>();

function passage(mirror: Mirror, between: Between, signal?: AbortSignal): Promise<Passage> {
  const key = `${between.from} ${between.to} ${mirror.dir}`;
  const known = found.get(key);
  if (known !== undefined) return known;
  const looking = look(mirror, between, signal);
  found.set(key, looking);
  for (const oldest of found.keys()) {
    if (found.size <= MAX_FOUND) break;
    found.delete(oldest);
  }
  const forget = () => found.delete(key);
  looking.then(({ passed }) => passed.length > MAX_ENTRIES && forget(), forget);
  return looking;
}

async function look(mirror: Mirror, between: Between, signal?: AbortSignal): Promise<Passage> {
  if (between.from === between.to) return { passed: [], changed: [] };
  const how = ['log', '-z', '--format=%H %P', '--raw', '--no-abbrev', '--no-renames', '--diff-merges=first-parent'];
  const log = await git([...how, '--end-of-options', between.to, `^${between.from}`], options(mirror, signal));
  const passed = rawEntries(log.stdout);
  // One commit on top of the other is the difference between the two.
  const isOneStep = passed.length > 0 && passed.every(({ commit }) => commit === `${between.to} ${between.from}`);
  return { passed, changed: isOneStep ? passed : await treeChanges(mirror, between, signal) };
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
  // A line that is no number is a submodule's commit, which is not here.
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
