import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from './git.ts';
import { GITLINK, type Index, readIndex } from './index-file.ts';
import type { Mirror } from './mirror-config.ts';
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
  if (first.code === 0 && !hasLinks) return { index, nested: await findPlanted(workTree, index), problems: [] };
  await copyIndex(before, indexFile);
  const nested = await findNested(options);
  const second = await add(options, [...options.exclude, ...nested]);
  const again = await readIndex(indexFile, mirror.objectFormat);
  const problems = second.code === 0 ? [] : [`some files could not be read: ${second.stderr.trim()}`];
  return { index: again, nested: [...nested, ...(await findPlanted(workTree, again))], problems };
}

async function add(options: AddAll, exclude: readonly string[]) {
  const pathspecs = [':(top)', ...exclude.map((path) => `:(top,exclude,literal)${path.replace(/\/+$/, '')}`)];
  return git(['add', '-A', '--ignore-errors', '--pathspec-from-file=-', '--pathspec-file-nul'], {
    ...places(options),
    input: pathspecs.join('\0'),
    allow: [0, 1, 128],
  });
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
