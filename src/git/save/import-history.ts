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

export type Take = {
  mirror: Mirror;
  agent: AgentGit;
  /** The refs to make in the mirror stand below it. */
  prefix: string;
  /** A folder of ours for the time of the taking. */
  scratch: string;
  /** What the mirror has anyway. */
  known: readonly string[];
  /** The tree that the agent's index held at the beginning, if that is known. */
  startTree?: string;
  now: number;
  signal?: AbortSignal;
};

/** `pending` are those of `refs` that the caller still has to write; `problems` say what could not be taken. */
export type Taken = { refs: Map<string, string>; pending: RefChange[]; graph: CommitGraph; problems: string[] };

/** Beyond it a fetch, which keeps its objects in one pack, is the better way. */
const MAX_CARRIED = 50;
const MAX_SINGLE_CHECKS = 500;
/** Helper files beside the objects are the agent's too, and are not believed. */
const DISTRUST = {
  core: { bare: 'true', commitGraph: 'false', multiPackIndex: 'false' },
  pack: { useBitmaps: 'false' },
};

/**
 * Brings everything that an agent committed, stashed or left behind into the mirror. Git runs only in a directory of
 * ours that borrows the agent's objects, so nothing in the agent's configuration, shallow file or grafts is read.
 */
export async function importHistory(take: Take): Promise<Taken> {
  const { mirror, agent, scratch, known } = take;
  const index = await readAgentIndex(agent);
  const isAsBefore = [...agent.tips.values(), ...agent.past].every((oid) => known.includes(oid));
  if (isAsBefore && isIndexOf(index, mirror, [take.startTree]))
    return { refs: new Map(), pending: [], graph: new Map(), problems: [] };
  const source = join(scratch, 'git');
  await writeCloneDir({
    mirror,
    dir: source,
    head: 'ref: refs/heads/none',
    borrowed: [agent.objects],
    config: DISTRUST,
  });
  const { graph, tips, problems } = await findCommits(take, source);
  const staged = await commitStaged({ ...take, source, graph, index });
  const wanted = choose({ ...agent, tips }, graph, known);
  if (staged !== undefined) wanted.set('staged', staged);
  if (wanted.size === 0) return { refs: new Map(), pending: [], graph, problems };
  const carry = { ...take, source };
  const isSmall = graph.size <= MAX_CARRIED && [...wanted.values()].every((oid) => graph.has(oid) || oid === staged);
  if (isSmall && (await transferPack(carry, [...wanted.values()], known)))
    return carried(take.prefix, wanted, { graph, problems });
  const names = new Map([...wanted].map(([name, oid]) => [`refs/${name}`, oid]));
  await writeFile(join(source, 'packed-refs'), packedRefs(names));
  const stderr = await fetchAll(carry, take.prefix);
  const refs = await readRefs(mirror.dir, take.prefix);
  for (const [name, oid] of wanted) {
    const isNew = graph.has(oid) || oid === staged;
    if (isNew && refs.get(`${take.prefix}/${name}`) !== oid)
      problems.push(`${name} (${oid}) could not be taken: ${stderr}`);
  }
  return { refs, pending: [], graph, problems };
}

function carried(prefix: string, wanted: Map<string, string>, rest: Pick<Taken, 'graph' | 'problems'>): Taken {
  const refs = new Map([...wanted].map(([name, oid]) => [`${prefix}/${name}`, oid]));
  return { ...rest, refs, pending: [...refs].map(([ref, to]) => ({ ref, to, expected: null })) };
}

type Found = { graph: CommitGraph; tips: Map<string, string>; problems: string[] };

async function findCommits(take: Take, gitDir: string): Promise<Found> {
  const { agent, known, signal } = take;
  const ask = (tips: Iterable<string>) => readGraph({ gitDir, tips, without: known, ...(signal ? { signal } : {}) });
  const whole = await ask(new Set([...agent.tips.values(), ...agent.past]));
  if (whole !== undefined) return { graph: whole, tips: agent.tips, problems: [] };
  const found: Found = { graph: new Map(), tips: new Map(), problems: [] };
  for (const [name, oid] of [...agent.tips].slice(0, MAX_SINGLE_CHECKS)) {
    const part = await ask([oid]);
    if (part === undefined) found.problems.push(`${name} (${oid}) is damaged: its history is not complete`);
    else found.tips.set(name, oid);
    for (const [commit, facts] of part ?? []) found.graph.set(commit, facts);
  }
  return found;
}

function choose(agent: AgentGit, graph: CommitGraph, known: readonly string[]): Map<string, string> {
  const wanted = new Map([...agent.tips].filter(([, oid]) => !known.includes(oid)));
  const named = reachable(graph, agent.tips.values());
  const dropped = [...agent.past].filter((oid) => graph.has(oid) && !named.has(oid));
  const behind = new Set(dropped.flatMap((oid) => [...reachable(graph, graph.get(oid)?.parents ?? [])]));
  for (const oid of dropped) if (!behind.has(oid)) wanted.set(`past/${oid}`, oid);
  return wanted;
}
