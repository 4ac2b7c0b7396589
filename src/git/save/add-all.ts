import { lstatSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { git } from '../git.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { writeCloneDir } from '../workspace/clone-dir.ts';
import { GITLINK, type Index, readIndex } from './index-file.ts';
import { copyIndex } from './private-index.ts';

export type AddAll = {
  mirror: Mirror;
  workTree: string;
  indexFile: string;
  /** Paths that are unchanged in the index. */
  exclude: readonly string[];
  signal?: AbortSignal;
};

/** `nested` are the folders that contain a repository; `problems` describe what could not be read. */
export type Added = { index: Index; nested: string[]; problems: string[] };

/** The index is a temporary copy: only objects must survive a power failure. */
const DURABLE_OBJECTS = ['-c', 'core.fsync=objects'];
const TIMEOUT_MS = 600_000;
/** So many take a millisecond at most; then others get their turn. */
const CHECKS_PER_TURN = 256;
const MAX_ERROR_CHARS = 500;
/** Printed, with exit code 1, for excluded paths that are also ignored. */
const IGNORED_NOTICE =
  /^The following paths are ignored by one of your \.gitignore files:\n(?:(?!error:|fatal:|warning:).*(?:\n|$))*/m;
/** Disables the attributes by which one file, or a missing program, can make git fail for all files. */
const RAW_ATTRIBUTES = '* -filter -ident -working-tree-encoding\n';

/**
 * Adds every file of a work tree that is not ignored to an index of ours, with the mirror's configuration, so that no
 * filter or hook of the agent can run. Nested repositories are omitted and listed.
 */
export async function addAll(options: AddAll): Promise<Added> {
  const { mirror, indexFile, workTree } = options;
  const before = `${indexFile}.before`;
  await copyIndex(indexFile, before);
  const first = await add(options, options.exclude);
  const index = await readIndex(indexFile, mirror.objectFormat);
  const hasLinks = index.entries.some((entry) => entry.mode === GITLINK);
  if (problemsOf(first).length === 0 && !hasLinks)
    return { index, nested: await findTrackedRepositories(workTree, index), problems: [] };
  await copyIndex(before, indexFile);
  const nested = await findNested(options);
  const exclude = [...options.exclude, ...nested];
  const second = await add(options, exclude);
  const last = second.code === 128 ? await addRaw(options, exclude) : second;
  const again = await readIndex(indexFile, mirror.objectFormat);
  return {
    index: again,
    nested: [...nested, ...(await findTrackedRepositories(workTree, again))],
    problems: problemsOf(last),
  };
}

async function add(options: AddAll, exclude: readonly string[], env: Record<string, string> = {}) {
  const pathspecs = [':(top)', ...exclude.map((path) => `:(top,exclude,literal)${path.replace(/\/+$/, '')}`)];
  return git([...DURABLE_OBJECTS, 'add', '-A', '--ignore-errors', '--pathspec-from-file=-', '--pathspec-file-nul'], {
    ...gitOptions(options),
    input: pathspecs.join('\0'),
    allow: [0, 1, 128],
    env,
  });
}

/** Git skips a folder that it cannot open with only a warning. */
function problemsOf({ code, stderr }: { code: number; stderr: string }): string[] {
  const text = stderr.replace(IGNORED_NOTICE, '').trim();
  const isFine = code === 0 || (code === 1 && text === '');
  if (isFine && !/^warning: could not open directory/m.test(text)) return [];
  return [`some files could not be read: ${text.slice(0, MAX_ERROR_CHARS)}`];
}

/** For files that cannot be converted as `.gitattributes` requires: saves the bytes on disk. */
async function addRaw(options: AddAll, exclude: readonly string[]) {
  const { mirror } = options;
  const dir = `${options.indexFile}.plain`;
  try {
    await writeCloneDir({ mirror, dir, head: 'ref: refs/heads/none' });
    await writeFile(join(dir, 'info', 'attributes'), RAW_ATTRIBUTES);
    return await add({ ...options, mirror: { ...mirror, dir } }, exclude, {
      GIT_OBJECT_DIRECTORY: join(mirror.dir, 'objects'),
    });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function findNested(options: AddAll): Promise<string[]> {
  const { stdout } = await git(['ls-files', '-o', '-z', '--exclude-standard'], gitOptions(options));
  const folders = stdout.split('\0').filter((path) => path.endsWith('/'));
  return folders.map((path) => path.slice(0, -1)).filter((path) => !isWithin(path, options.exclude));
}

/** Repositories in folders whose files are tracked, which git does not report. */
async function findTrackedRepositories(workTree: string, index: Index): Promise<string[]> {
  const all = [...foldersOf(index)];
  const repositories: string[] = [];
  for (let start = 0; start < all.length; start += CHECKS_PER_TURN) {
    if (start > 0) await nextTurn();
    const some = all.slice(start, start + CHECKS_PER_TURN);
    repositories.push(...some.filter((folder) => hasRepository(join(workTree, folder))));
  }
  return repositories;
}

function foldersOf({ entries }: Index): Set<string> {
  const folders = new Set<string>();
  for (const { path } of entries) {
    // Where a folder is known, those above it are known too.
    for (
      let end = path.lastIndexOf('/');
      end > 0 && !folders.has(path.slice(0, end));
      end = path.lastIndexOf('/', end - 1)
    )
      folders.add(path.slice(0, end));
  }
  return folders;
}

function hasRepository(folder: string): boolean {
  try {
    return lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A folder that cannot be read is not a usable repository.
    return false;
  }
}

/** Whether a path is one of these folders or inside one. */
export function isWithin(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(`${folder.replace(/\/+$/, '')}/`));
}

function gitOptions({ mirror, workTree, indexFile, signal }: AddAll) {
  return { gitDir: mirror.dir, workTree, indexFile, timeoutMs: TIMEOUT_MS, ...(signal ? { signal } : {}) };
}
