import { git } from '../git.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { readBlobs } from './read-blobs.ts';
import { type ReadCache, readOnce } from './read-once.ts';
import { type Between, treeChanges } from './tree-changes.ts';

type ListedFile = { readonly path: string; readonly oid: string };

/** The candidate of one task is the base of the next. */
const MOST_LISTS = 4;
const lists: ReadCache<readonly ListedFile[]> = new Map();

/** Every regular file of a commit, with the id of its content. */
export async function listFiles(
  mirror: Pick<Mirror, 'dir'>,
  commit: string,
  signal?: AbortSignal,
): Promise<readonly ListedFile[]> {
  const files = await listOnce(mirror, commit, () => readList(mirror, commit));
  signal?.throwIfAborted();
  return files;
}

/** The same, from the files of a commit that hardly differs: no process lists them again. */
async function listFilesAfter(mirror: Mirror, { from, to }: Between): Promise<readonly ListedFile[]> {
  return listOnce(mirror, to, async () => {
    const [before, changes] = await Promise.all([listFiles(mirror, from), treeChanges(mirror, { from, to })]);
    if (changes.length === 0) return before;
    const changed = new Set(changes.map(({ path }) => path));
    const after = changes.flatMap(({ path, modes, oids }) => (isFile(modes.after) ? [{ path, oid: oids.after }] : []));
    return [...before.filter(({ path }) => !changed.has(path)), ...after].sort(byPath);
  });
}

function listOnce(
  mirror: Pick<Mirror, 'dir'>,
  commit: string,
  read: () => Promise<readonly ListedFile[]>,
): Promise<readonly ListedFile[]> {
  return readOnce(lists, { mirror, commits: [commit], read, sizeOf: (all) => all.length }, MOST_LISTS);
}

function isFile(mode: string): boolean {
  return mode.startsWith('100');
}

function byPath(a: ListedFile, b: ListedFile): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

async function readList(mirror: Pick<Mirror, 'dir'>, commit: string): Promise<ListedFile[]> {
  const { stdout } = await git(['ls-tree', '-r', '-z', '--full-tree', '--end-of-options', commit], {
    gitDir: mirror.dir,
  });
  return stdout.split('\0').flatMap((row) => {
    const at = row.indexOf('\t');
    const [mode = '', , oid = ''] = row.slice(0, at).split(' ');
    return isFile(mode) ? [{ path: row.slice(at + 1), oid }] : [];
  });
}

const TIMEOUT_MS = 300_000;
/** Longer files are data, and no text that decides anything. */
const MAX_CHARS = 4 * 1024 * 1024;

/** The regular files of one commit: their paths, their texts, and a search over them. */
export type FilesOfCommit = {
  paths: ReadonlySet<string>;
  read(path: string): Promise<string | undefined>;
  /** The texts of several files at once; those that are missing or too long are left out. */
  readAll(paths: readonly string[]): Promise<Map<string, string>>;
  search(pattern: string): Promise<string[]>;
  /** The lines that an extended regular expression matches, in the files that a pathspec selects. */
  lines(pattern: string, pathspec: string): Promise<{ path: string; line: string }[]>;
};

/** Opens the files of a commit; each text is read once. `after`: a commit whose files are known, and hardly differ. */
export async function filesOfCommit(mirror: Mirror, commit: string, after?: string): Promise<FilesOfCommit> {
  const files = after === undefined ? listFiles(mirror, commit) : listFilesAfter(mirror, { from: after, to: commit });
  const oids = new Map((await files).map(({ path, oid }) => [path, oid]));
  const texts = new Map<string, Promise<string | undefined>>();
  return {
    paths: new Set(oids.keys()),
    read: (path) => {
      const oid = oids.get(path);
      if (oid === undefined) return Promise.resolve(undefined);
      const text = texts.get(oid) ?? readText(mirror, oid);
      texts.set(oid, text);
      return text;
    },
    readAll: async (selected) => {
      const known = selected.flatMap((path) => {
        const oid = oids.get(path);
        return oid === undefined ? [] : [{ path, oid }];
      });
      const all = new Map<string, string>();
      let index = 0;
      for await (const blob of readBlobs(mirror, { oids: known.map(({ oid }) => oid), maxBytes: MAX_CHARS })) {
        const path = known[index]?.path;
        index += 1;
        if (path !== undefined && blob !== undefined) all.set(path, blob.toString());
      }
      return all;
    },
    lines: async (pattern, pathspec) => {
      const args = ['grep', '-z', '-I', '-E', '-e', pattern, commit, '--', pathspec];
      const { stdout } = await git(args, { gitDir: mirror.dir, timeoutMs: TIMEOUT_MS, allow: [0, 1] });
      return stdout.split('\n').flatMap((row) => {
        const at = row.indexOf('\0');
        return at < 0 ? [] : [{ path: row.slice(commit.length + 1, at), line: row.slice(at + 1) }];
      });
    },
    search: async (pattern) => {
      const args = ['grep', '--name-only', '-z', '-I', '-E', '-e', pattern, commit];
      const { stdout } = await git(args, { gitDir: mirror.dir, timeoutMs: TIMEOUT_MS, allow: [0, 1] });
      // Each path is preceded by the commit.
      return stdout.split('\0').flatMap((line) => (line === '' ? [] : [line.slice(commit.length + 1)]));
    },
  };
}

async function readText(mirror: Mirror, oid: string): Promise<string> {
  const { stdout } = await git(['cat-file', 'blob', oid], { gitDir: mirror.dir });
  return stdout.length > MAX_CHARS ? stdout.slice(0, MAX_CHARS) : stdout;
}
