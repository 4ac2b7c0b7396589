import { mkdir, readdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isAbsent } from '../../errors.ts';
import { crashpoint } from '../../world.ts';
import { otherEnd } from '../environment.ts';
import { git } from '../git.ts';
import { commitTree } from '../merge/commit.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { readPlainFile, readPlainText } from '../plain-file.ts';
import { type CommitGraph, reachable, readGraph } from '../read/commit-graph.ts';
import type { RefChange } from '../refs/mirror-refs.ts';
import { readRefs } from '../refs/refs.ts';
import { type AgentGit, pathInside } from '../workspace/agent-git.ts';
import { packedRefs, writeCloneDir } from '../workspace/clone-dir.ts';
import { parseIndex } from './index-file.ts';

type PackTransfer = {
  mirror: Mirror;
  /** Our git directory that borrows the agent's objects. */
  source: string;
  scratch: string;
  signal?: AbortSignal;
};

const TIMEOUT_MS = 600_000;

const MAX_PACK_BYTES = 32 * 1024 * 1024;

type StagedIndex = {
  mirror: Mirror;
  agent: AgentGit;
  /** Our git directory that borrows the agent's objects. */
  source: string;
  scratch: string;
  graph: CommitGraph;
  index: Buffer | undefined;
  startTree?: string;
  now: number;
};

const MAX_INDEX_BYTES = 512 * 1024 * 1024;

export type ImportRequest = {
  mirror: Mirror;
  agent: AgentGit;
  /** The workspace. */
  path: string;
  /** The prefix of the refs to create in the mirror. */
  prefix: string;
  /** A temporary folder of ours. */
  scratch: string;
  /** Commits that the mirror already has. */
  known: readonly string[];
  /** The tree of the agent's index at the start, if known. */
  startTree?: string;
  now: number;
  signal?: AbortSignal;
};

/** `pending` are those of `refs` that the caller must still write; `problems` describe what could not be imported. */
export type ImportedCommits = {
  refs: Map<string, string>;
  pending: RefChange[];
  graph: CommitGraph;
  problems: string[];
};

/** For more commits a fetch, which stores its objects in one pack, is better. */
const MAX_TRANSFERRED = 50;
const MAX_SINGLE_CHECKS = 500;
/** How many stores an agent's repository may borrow from; git itself follows five in a row. */
const MAX_STORES = 8;
/** Auxiliary files next to the objects are written by the agent too, and are not trusted. */
const UNTRUSTED_OBJECTS = {
  core: { bare: 'true', commitGraph: 'false', multiPackIndex: 'false' },
  pack: { useBitmaps: 'false' },
};

/**
 * Imports everything that an agent committed, stashed or staged into the mirror. Git runs only in a directory of ours
 * that borrows the agent's objects, so the agent's configuration, shallow file and grafts are not read.
 */
export async function importHistory(request: ImportRequest): Promise<ImportedCommits> {
  const { mirror, agent, scratch, known } = request;
  const index = await readAgentIndex(agent);
  const isUnchanged = [...agent.tips.values(), ...agent.past].every((oid) => known.includes(oid));
  if (isUnchanged && isIndexOf(index, mirror, [request.startTree]))
    return { refs: new Map(), pending: [], graph: new Map(), problems: [] };
  const source = join(scratch, 'git');
  await writeCloneDir({
    mirror,
    dir: source,
    head: 'ref: refs/heads/none',
    borrowed: await showObjects(agent.objects, request),
    config: UNTRUSTED_OBJECTS,
  });
  const { graph, tips, problems } = await findCommits(request, source);
  const staged = await commitStaged({ ...request, source, graph, index });
  const selected = choose({ ...agent, tips }, graph, known);
  if (staged !== undefined) selected.set('staged', staged);
  if (selected.size === 0) return { refs: new Map(), pending: [], graph, problems };
  const transfer = { ...request, source };
  const isSmall =
    graph.size <= MAX_TRANSFERRED && [...selected.values()].every((oid) => graph.has(oid) || oid === staged);
  if (isSmall && (await transferPack(transfer, [...selected.values()], known)))
    return transferred(request.prefix, selected, { graph, problems });
  const names = new Map([...selected].map(([name, oid]) => [`refs/${name}`, oid]));
  await writeFile(join(source, 'packed-refs'), packedRefs(names));
  const stderr = await fetchAll(transfer, request.prefix);
  const refs = await readRefs(mirror.dir, request.prefix);
  for (const [name, oid] of selected) {
    const isNew = graph.has(oid) || oid === staged;
    if (isNew && refs.get(`${request.prefix}/${name}`) !== oid)
      problems.push(`${name} (${oid}) could not be imported: ${stderr}`);
  }
  return { refs, pending: [], graph, problems };
}

function transferred(
  prefix: string,
  selected: Map<string, string>,
  rest: Pick<ImportedCommits, 'graph' | 'problems'>,
): ImportedCommits {
  const refs = new Map([...selected].map(([name, oid]) => [`${prefix}/${name}`, oid]));
  return { ...rest, refs, pending: [...refs].map(([ref, to]) => ({ ref, to, expected: null })) };
}

type FoundCommits = { graph: CommitGraph; tips: Map<string, string>; problems: string[] };

async function findCommits(request: ImportRequest, gitDir: string): Promise<FoundCommits> {
  const { agent, known, signal } = request;
  const readFrom = (tips: Iterable<string>) =>
    readGraph({ gitDir, tips, without: known, ...(signal ? { signal } : {}) });
  const whole = await readFrom(new Set([...agent.tips.values(), ...agent.past]));
  if (whole !== undefined) return { graph: whole, tips: agent.tips, problems: [] };
  const found: FoundCommits = { graph: new Map(), tips: new Map(), problems: [] };
  for (const [name, oid] of [...agent.tips].slice(0, MAX_SINGLE_CHECKS)) {
    const partial = await readFrom([oid]);
    if (partial === undefined) found.problems.push(`${name} (${oid}) is damaged: its history is incomplete`);
    else found.tips.set(name, oid);
    for (const [commit, facts] of partial ?? []) found.graph.set(commit, facts);
  }
  return found;
}

function choose(agent: AgentGit, graph: CommitGraph, known: readonly string[]): Map<string, string> {
  const selected = new Map([...agent.tips].filter(([, oid]) => !known.includes(oid)));
  const named = reachable(graph, agent.tips.values());
  const dropped = [...agent.past].filter((oid) => graph.has(oid) && !named.has(oid));
  const behind = new Set(dropped.flatMap((oid) => [...reachable(graph, graph.get(oid)?.parents ?? [])]));
  for (const oid of dropped) if (!behind.has(oid)) selected.set(`past/${oid}`, oid);
  return selected;
}

/** Whether the agent's index claims to match one of these trees; a false claim hides only the agent's own work. */
function isIndexOf(index: Buffer | undefined, mirror: Mirror, trees: readonly (string | undefined)[]): boolean {
  if (index === undefined) return true;
  try {
    const { entries, tree } = parseIndex(index, mirror.objectFormat);
    return entries.length === 0 || (tree !== undefined && trees.includes(tree));
  } catch {
    // An index of another version, or a damaged one, must be read by git.
    return false;
  }
}

/** The bytes of the agent's index, if it is a plain file. */
function readAgentIndex(agent: AgentGit): Promise<Buffer | undefined> {
  return readPlainFile(agent.index, MAX_INDEX_BYTES);
}

/**
 * Commits what the agent staged and did not commit, in our borrowing git directory; undefined if its index has no
 * changes of its own, or has conflicts, whose sides are commits anyway.
 */
async function commitStaged(options: StagedIndex): Promise<string | undefined> {
  const { mirror, agent, source, scratch, graph, index } = options;
  const head = agent.head === undefined ? undefined : graph.get(agent.head);
  const trees = [options.startTree, head?.tree];
  if (index === undefined || isIndexOf(index, mirror, trees)) return undefined;
  const copy = join(scratch, 'agent-index');
  await writeFile(copy, index);
  const written = await git(['write-tree'], { gitDir: source, indexFile: copy, allow: [0, 1, 128] });
  const tree = written.stdout.trim();
  if (written.code !== 0 || trees.includes(tree)) return undefined;
  const parents = agent.head !== undefined && head !== undefined ? [agent.head] : [];
  return commitTree({ gitDir: source, tree, parents, message: 'Staged, not committed', now: options.now });
}

/**
 * Transfers the history of these commits into the mirror as a pack, with each object checked against its id and each
 * reference followed; false, with an undefined state, if that is refused or too large.
 */
async function transferPack(
  transfer: PackTransfer,
  tips: readonly string[],
  known: readonly string[],
): Promise<boolean> {
  const { mirror, source, scratch, signal } = transfer;
  const common = { allow: [0, 1, 128], timeoutMs: TIMEOUT_MS, ...(signal ? { signal } : {}) };
  const input = `${[...tips, ...known.map((oid) => `^${oid}`)].join('\n')}\n`;
  const packed = await git(['pack-objects', '-q', '--revs', '--window=0', join(scratch, 'transfer')], {
    ...common,
    gitDir: source,
    input,
  });
  const name = (await readdir(scratch)).find((file) => /^transfer-.*\.pack$/.test(file));
  if (packed.code !== 0 || name === undefined) return false;
  const pack = await readFile(join(scratch, name));
  if (pack.length > MAX_PACK_BYTES) return false;
  crashpoint('save.transferring');
  const unpacked = await git(['unpack-objects', '-q', '--strict'], { ...common, gitDir: mirror.dir, input: pack });
  crashpoint('save.transferred');
  return unpacked.code === 0;
}

/** Fetches all refs of the borrowing git directory under a prefix of the mirror; returns git's error output. */
async function fetchAll({ mirror, source, signal }: PackTransfer, prefix: string): Promise<string> {
  const how = ['--quiet', '--no-tags', '--no-auto-maintenance', '--no-write-fetch-head', '--refmap='];
  const from = ['--upload-pack', otherEnd('upload-pack'), source, `+refs/*:${prefix}/*`];
  crashpoint('save.fetching');
  const { stderr } = await git(['fetch', ...how, ...from], {
    gitDir: mirror.dir,
    timeoutMs: TIMEOUT_MS,
    allow: [0, 1, 128],
    ...(signal ? { signal } : {}),
  });
  crashpoint('save.fetched');
  return stderr.trim();
}

/**
 * Folders of ours that show an agent's objects to git, without what git would follow out of the workspace: links, pipes,
 * and stores to borrow from. Each of these could name any repository of the user, whose commits would then be saved where
 * the next attempt can read them. A store in the workspace itself is shown too.
 */
async function showObjects(objects: string, { path, scratch }: { path: string; scratch: string }) {
  const stores = [await realpath(objects)];
  for (const store of stores) {
    const text = await readPlainText(join(store, 'info', 'alternates'), 65_536);
    for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
      const inner = await pathInside(resolve(store, line), path);
      if (inner !== undefined && !stores.includes(inner) && stores.length < MAX_STORES) stores.push(inner);
    }
  }
  return Promise.all(stores.map((store, index) => showStore(store, join(scratch, `objects-${index}`))));
}

async function showStore(store: string, shown: string): Promise<string> {
  await mkdir(shown);
  const entries = await readdir(store, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && /^(?:[0-9a-f]{2}|pack)$/.test(entry.name));
  await Promise.all(
    folders.map(async ({ name }) => {
      const folder = join(store, name);
      if (await hasOnlyFiles(folder)) await symlink(folder, join(shown, name));
    }),
  );
  return shown;
}

async function hasOnlyFiles(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder, { withFileTypes: true })).every((entry) => entry.isFile());
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}
