import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type GitOptions, git } from '../git.ts';
import { commitTree } from '../merge/commit.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { readPlainText } from '../plain-file.ts';
import { writeRefs } from '../refs/mirror-refs.ts';
import { readAgentGit } from '../workspace/agent-git.ts';
import { type Added, addAll, isWithin } from './add-all.ts';
import { importHistory } from './import-history.ts';
import { GITLINK, type IndexEntry, readIndex } from './index-file.ts';
import { copyIndex, type Gitlink, type IndexState, privateIndexFile, removeGitlinks } from './private-index.ts';
import { treeId, writeTrees } from './write-trees.ts';

type SaveNested = {
  mirror: Mirror;
  /** The workspace, which must contain the nested repository's git directory. */
  path: string;
  /** The nested repository's folder in it. */
  folder: string;
  number: number;
  prefix: string;
  scratch: string;
  now: number;
  signal?: AbortSignal;
};

/** `head` is its commit, if that was imported; `tree` has its files, with those of the repositories inside it. */
type NestedSave = { folder: string; head?: string; tree?: string; refs: string[]; problems: string[] };

const DEEPEST = 8;

export type SaveTree = {
  mirror: Mirror;
  path: string;
  /** The commit whose tree the files are compared with. */
  start: string;
  startTree?: string;
  exclude: readonly string[];
  /** The prefix of the refs of nested repositories. */
  prefix: string;
  scratch: string;
  state: IndexState | undefined;
  now: number;
  listIgnored?: boolean;
  signal?: AbortSignal;
};

export type SavedTree = { tree: string; refs: string[]; nested: string[]; problems: string[]; ignored?: string[] };

/** Writes the tree of a workspace's files on disk, and saves the repositories nested in it. */
export async function saveTree(options: SaveTree): Promise<SavedTree> {
  const { mirror, path, exclude, scratch, signal, startTree } = options;
  const indexFile = join(scratch, 'index');
  if (startTree !== undefined && (await isUnchanged(options, join(scratch, 'quick-index')))) {
    return { tree: startTree, refs: [], nested: [], problems: [] };
  }
  const gitlinks = await startIndex(options, indexFile);
  const stored = new Set((await readIndex(indexFile, mirror.objectFormat)).folders.values());
  const ours = await entriesAtStart(options);
  const added = await addAll({ mirror, workTree: path, indexFile, exclude, ...(signal ? { signal } : {}) });
  const nested = await Promise.all(added.nested.map((folder, number) => saveNested({ ...options, folder, number })));
  const links = await chooseGitlinks({ options, gitlinks, nested });
  const lines = [...restoreExcluded(added, ours, exclude), ...setGitlinks(added, links)];
  const where = { gitDir: mirror.dir, workTree: path, indexFile };
  if (lines.length > 0) await git(['update-index', '-z', '--index-info'], { ...where, input: lines.join('') });
  const isGrafted = await graftNested(nested, { where, added, links });
  const known = lines.length > 0 || isGrafted ? undefined : await writeTrees(mirror, added.index, stored);
  const tree = known ?? (await git(['write-tree'], where)).stdout.trim();
  const ignored = options.listIgnored ? await listIgnored(where) : undefined;
  return {
    tree,
    refs: nested.flatMap((one) => one.refs),
    nested: added.nested,
    problems: [...added.problems, ...nested.flatMap((one) => one.problems)],
    ...(ignored ? { ignored } : {}),
  };
}

/** Adds the files of nested repositories that are not submodules, as the plain files that they are; returns whether there were any. */
async function graftNested(
  nested: readonly NestedSave[],
  { where, added, links }: { where: GitOptions; added: Added; links: readonly Gitlink[] },
): Promise<boolean> {
  const isKept = (folder: string) =>
    links.some(({ path }) => path === folder) || added.index.entries.some(({ path }) => isWithin(path, [folder]));
  const grafted = nested.filter(({ folder, tree }) => tree !== undefined && !isKept(folder));
  for (const { folder, tree = '' } of grafted) await git(['read-tree', `--prefix=${folder}/`, tree], where);
  return grafted.length > 0;
}

/** Whether the files equal the tree of the start commit, checked with the existing index. */
async function isUnchanged(options: SaveTree, indexFile: string): Promise<boolean> {
  const { mirror, path, start, startTree, state, exclude, signal } = options;
  if (state === undefined || state.commit === start || state.gitlinks.length > 0) return false;
  if (options.listIgnored) return false;
  if (!(await copyIndex(privateIndexFile(mirror, path), indexFile))) return false;
  const added = await addAll({ mirror, workTree: path, indexFile, exclude, ...(signal ? { signal } : {}) });
  const isPlain = added.nested.length === 0 && added.problems.length === 0;
  return isPlain && treeId(added.index.entries, mirror.objectFormat) === startTree;
}

async function startIndex({ mirror, path, start, state }: SaveTree, indexFile: string): Promise<Gitlink[]> {
  const hasIndex = await copyIndex(privateIndexFile(mirror, path), indexFile);
  if (hasIndex && state?.commit === start) return state.gitlinks;
  await git(['read-tree', ...(hasIndex ? ['-i', '-m'] : []), start], { gitDir: mirror.dir, workTree: path, indexFile });
  return removeGitlinks(mirror, indexFile);
}

async function entriesAtStart({ mirror, path, exclude, state }: SaveTree): Promise<Map<string, IndexEntry>> {
  if (exclude.length === 0 || state === undefined) return new Map();
  const { entries } = await readIndex(privateIndexFile(mirror, path), mirror.objectFormat);
  return new Map(entries.map((entry) => [entry.path, entry]));
}

function restoreExcluded(added: Added, ours: ReadonlyMap<string, IndexEntry>, exclude: readonly string[]): string[] {
  if (exclude.length === 0) return [];
  const wrong = added.index.entries.filter(({ path, oid }) => isWithin(path, exclude) && ours.get(path)?.oid !== oid);
  return wrong.map(({ path, oid }) => indexLine(ours.get(path) ?? { mode: 0, oid, path }));
}

type Links = { options: SaveTree; gitlinks: readonly Gitlink[]; nested: readonly NestedSave[] };

async function chooseGitlinks({ options, gitlinks, nested }: Links): Promise<Gitlink[]> {
  if (gitlinks.length === 0 && nested.length === 0) return [];
  const declared = await declaredSubmodules(options);
  const links = new Map(gitlinks.map((link) => [link.path, link.oid]));
  for (const { folder, head } of nested) {
    if (head !== undefined && (links.has(folder) || declared.has(folder))) links.set(folder, head);
  }
  const kept: Gitlink[] = [];
  for (const [path, oid] of links) {
    // A submodule whose folder cannot be read was removed by the agent.
    const stat = await lstat(join(options.path, path)).catch(() => undefined);
    if (stat?.isDirectory()) kept.push({ path, oid });
  }
  return kept;
}

async function declaredSubmodules({ path }: SaveTree): Promise<Set<string>> {
  const file = join(path, '.gitmodules');
  const args = ['config', '-z', '--no-includes', '--file', file, '--get-regexp', '^submodule\\..*\\.path$'];
  const { stdout } = await git(args, { cwd: '/', allow: [0, 1, 128, 3] });
  return new Set(stdout.split('\0').map((line) => line.slice(line.indexOf('\n') + 1)));
}

function setGitlinks(added: Added, links: readonly Gitlink[]): string[] {
  const stray = added.index.entries.filter(({ mode }) => mode === GITLINK);
  const inside = links.flatMap(({ path }) => added.index.entries.filter((entry) => entry.path.startsWith(`${path}/`)));
  const removed = [...stray, ...inside].map(({ path, oid }) => indexLine({ mode: 0, oid, path }));
  return [...removed, ...links.map(({ path, oid }) => indexLine({ mode: GITLINK, oid, path }))];
}

function indexLine({ mode, oid, path }: Pick<IndexEntry, 'mode' | 'oid' | 'path'>): string {
  return `${mode.toString(8).padStart(6, '0')} ${oid}\t${path}\0`;
}

async function listIgnored(where: { gitDir: string; workTree: string; indexFile: string }): Promise<string[]> {
  const { stdout } = await git(['ls-files', '-o', '-i', '--exclude-standard', '--directory', '-z'], where);
  return stdout.split('\0').filter((path) => path !== '');
}

/** Whether a folder is another worktree of the agent's own repository: a copy of the work, not a part of it. */
async function isLinkedWorktree(folder: string): Promise<boolean> {
  // Where .git is a folder, it is a repository of its own.
  const text = await readPlainText(join(folder, '.git'), 4096);
  return /^gitdir:.*\.git\/worktrees\//.test(text);
}

/** Saves a repository that an agent created inside its workspace: its history and its files, also under their own refs. */
async function saveNested(options: SaveNested, depth = 1): Promise<NestedSave> {
  const { mirror, folder, now } = options;
  if (depth > DEEPEST) return { folder, refs: [], problems: [`${folder} is nested too deeply to be saved`] };
  const scratch = join(options.scratch, `nested-${options.number}`);
  await mkdir(scratch, { recursive: true });
  const prefix = `${options.prefix}/nested/${options.number}`;
  const workTree = join(options.path, folder);
  const agent = await readAgentGit(workTree, options.path);
  const imported = agent && (await importHistory({ ...options, agent, scratch, prefix: `${prefix}/git`, known: [] }));
  const indexFile = join(scratch, 'index');
  await git(['read-tree', '--empty'], { gitDir: mirror.dir, indexFile });
  const added = await addAll({ ...options, workTree, indexFile, exclude: [] });
  const inner = await Promise.all(
    added.nested.map((name, number) =>
      saveNested({ ...options, folder: join(folder, name), number, prefix, scratch }, depth + 1),
    ),
  );
  const named = inner.map((one, number) => ({ ...one, folder: added.nested[number] ?? one.folder }));
  await graftNested(named, { where: { gitDir: mirror.dir, workTree, indexFile }, added, links: [] });
  const tree = (await git(['write-tree'], { gitDir: mirror.dir, indexFile })).stdout.trim();
  const head = imported?.refs.get(`${prefix}/git/HEAD`);
  const parents = head === undefined ? [] : [head];
  const commit = await commitTree({ gitDir: mirror.dir, tree, parents, message: `Files of ${folder}`, now });
  await writeRefs(mirror, [{ ref: `${prefix}/files`, to: commit, expected: null }, ...(imported?.pending ?? [])]);
  return {
    folder,
    ...((await isLinkedWorktree(workTree)) ? {} : { tree }),
    ...(head === undefined ? {} : { head }),
    refs: [`${prefix}/files`, ...(imported?.refs.keys() ?? []), ...inner.flatMap((one) => one.refs)],
    problems: [...(imported?.problems ?? []), ...inner.flatMap((one) => one.problems), ...added.problems],
  };
}
