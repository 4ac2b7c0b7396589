import { lstat, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '../git.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { writeCloneDir } from '../workspace/clone-dir.ts';
import { GITLINK, type Index, readIndex } from './index-file.ts';
import { copyIndex } from './private-index.ts';

export type AddAll = {
  mirror: Mirror;
  workTree: string;
  indexFile: string;
  /** Paths that stay in the index as they are. */
  exclude: readonly string[];
  signal?: AbortSignal;
};

/** `nested` are the folders with a repository of their own; `problems` what could not be read. */
export type Added = { index: Index; nested: string[]; problems: string[] };

const TIMEOUT_MS = 600_000;
const LOOKS_AT_ONCE = 64;
const MAX_SAID = 500;
/** Told, with exit code 1, of paths that we leave out and that are ignored anyway. */
const IGNORED_NOTICE =
  /^The following paths are ignored by one of your \.gitignore files:\n(?:(?!error:|fatal:|warning:).*(?:\n|$))*/m;
/** Attributes by which a file's own text, or a program that is missing, can make git give up on all of them. */
const AS_IT_IS = '* -filter -ident -working-tree-encoding\n';

/**
 * Puts every file of a work tree that is not ignored into an index of ours, with the mirror's configuration, so that
 * no filter or hook that the agent names can run. Nested repositories are left out and named.
 */
export async function addAll(options: AddAll): Promise<Added> {
  const { mirror, indexFile, workTree } = options;
  const before = `${indexFile}.before`;
  await copyIndex(indexFile, before);
  const first = await add(options, options.exclude);
  const index = await readIndex(indexFile, mirror.objectFormat);
  const hasLinks = index.entries.some((entry) => entry.mode === GITLINK);
  if (problemsOf(first).length === 0 && !hasLinks)
    return { index, nested: await findPlanted(workTree, index), problems: [] };
  await copyIndex(before, indexFile);
  const nested = await findNested(options);
  const exclude = [...options.exclude, ...nested];
  const second = await add(options, exclude);
  const last = second.code === 128 ? await addAsItIs(options, exclude) : second;
  const again = await readIndex(indexFile, mirror.objectFormat);
  return { index: again, nested: [...nested, ...(await findPlanted(workTree, again))], problems: problemsOf(last) };
}

async function add(options: AddAll, exclude: readonly string[], env: Record<string, string> = {}) {
  const pathspecs = [':(top)', ...exclude.map((path) => `:(top,exclude,literal)${path.replace(/\/+$/, '')}`)];
  // The index is a copy of ours for the moment: only objects must outlive a power cut.
  return git(
    ['-c', 'core.fsync=objects', 'add', '-A', '--ignore-errors', '--pathspec-from-file=-', '--pathspec-file-nul'],
    {
      ...places(options),
      input: pathspecs.join('\0'),
      allow: [0, 1, 128],
      env,
    },
  );
}

/** Git passes over a folder that it cannot open with no more than a warning. */
function problemsOf({ code, stderr }: { code: number; stderr: string }): string[] {
  const said = stderr.replace(IGNORED_NOTICE, '').trim();
  const isFine = code === 0 || (code === 1 && said === '');
  if (isFine && !/^warning: could not open directory/m.test(said)) return [];
  return [`some files could not be read: ${said.slice(0, MAX_SAID)}`];
}

/** For files that cannot be converted as `.gitattributes` asks: what stands on disk is saved, byte for byte. */
async function addAsItIs(options: AddAll, exclude: readonly string[]) {
  const { mirror } = options;
  const dir = `${options.indexFile}.plain`;
  try {
    await writeCloneDir({ mirror, dir, head: 'ref: refs/heads/none' });
    await writeFile(join(dir, 'info', 'attributes'), AS_IT_IS);
    return await add({ ...options, mirror: { ...mirror, dir } }, exclude, {
      GIT_OBJECT_DIRECTORY: join(mirror.dir, 'objects'),
    });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function findNested(options: AddAll): Promise<string[]> {
  const { stdout } = await git(['ls-files', '-o', '-z', '--exclude-standard'], places(options));
  const folders = stdout.split('\0').filter((path) => path.endsWith('/'));
  return folders.map((path) => path.slice(0, -1)).filter((path) => !isWithin(path, options.exclude));
}

/** Repositories made in a folder whose files are tracked: git looks through them and says nothing. */
async function findPlanted(workTree: string, index: Index): Promise<string[]> {
  const folders = new Set(index.entries.flatMap(({ path }) => parents(path)));
  const all = [...folders];
  const planted: string[] = [];
  for (let start = 0; start < all.length; start += LOOKS_AT_ONCE) {
    const some = all.slice(start, start + LOOKS_AT_ONCE);
    // Whatever cannot be looked at is no repository that could be read.
    const found = await Promise.all(some.map((folder) => lstat(join(workTree, folder, '.git')).catch(() => undefined)));
    planted.push(...some.filter((_, place) => found[place] !== undefined));
  }
  return planted;
}

/** Whether a path is one of these or lies below one. */
export function isWithin(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(`${folder.replace(/\/+$/, '')}/`));
}

function parents(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function places({ mirror, workTree, indexFile, signal }: AddAll) {
  return { gitDir: mirror.dir, workTree, indexFile, timeoutMs: TIMEOUT_MS, ...(signal ? { signal } : {}) };
}
