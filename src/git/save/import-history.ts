import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mirror } from '../mirror/mirror-config.ts';
import { type CommitGraph, reachable, readGraph } from '../read/commit-graph.ts';
import type { RefChange } from '../refs/mirror-refs.ts';
import { readRefs } from '../refs/refs.ts';
import type { AgentGit } from '../workspace/agent-git.ts';
import { packedRefs, writeCloneDir } from '../workspace/clone-dir.ts';
import { commitStaged, isIndexOf, readAgentIndex } from './staged.ts';
import { fetchAll, transferPack } from './transfer-pack.ts';

export type ImportRequest = {
  mirror: Mirror;
  agent: AgentGit;
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
    borrowed: [agent.objects],
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
