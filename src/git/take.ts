import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crashpoint } from '../world.ts';
import type { AgentGit } from './agent-git.ts';
import { packedRefs, writeCloneDir } from './clone-dir.ts';
import { type CommitGraph, reachable, readGraph } from './commit-graph.ts';
import { otherEnd } from './environment.ts';
import { git } from './git.ts';
import type { Mirror } from './mirror-config.ts';
import { readRefs } from './refs.ts';
import { commitStaged, isIndexOf, readAgentIndex } from './staged.ts';

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

/** `refs` are the mirror's, as read back; `problems` say what could not be taken. */
export type Taken = { refs: Map<string, string>; graph: CommitGraph; problems: string[] };

const FETCH_TIMEOUT_MS = 600_000;
const MOST_SINGLE_CHECKS = 500;
/** Helper files beside the objects are the agent's too, and are not believed. */
const DISTRUST = {
  core: { bare: 'true', commitGraph: 'false', multiPackIndex: 'false' },
  pack: { useBitmaps: 'false' },
};

/**
 * Brings everything that an agent committed, stashed or left behind into the mirror. Git runs only in a directory of
 * ours that borrows the agent's objects, so nothing in the agent's configuration, shallow file or grafts is read.
 */
export async function takeHistory(take: Take): Promise<Taken> {
  const { mirror, agent, scratch, known } = take;
  const index = await readAgentIndex(agent);
  const isAsBefore = [...agent.tips.values(), ...agent.past].every((oid) => known.includes(oid));
  if (isAsBefore && isIndexOf(index, mirror, [take.startTree]))
    return { refs: new Map(), graph: new Map(), problems: [] };
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
  if (wanted.size === 0) return { refs: new Map(), graph, problems };
  const names = new Map([...wanted].map(([name, oid]) => [`refs/${name}`, oid]));
  await writeFile(join(source, 'packed-refs'), packedRefs(names));
  const stderr = await fetch(take, source);
  const refs = await readRefs(mirror.dir, take.prefix);
  for (const [name, oid] of wanted) {
    const isNew = graph.has(oid) || oid === staged;
    if (isNew && refs.get(`${take.prefix}/${name}`) !== oid)
      problems.push(`${name} (${oid}) could not be taken: ${stderr}`);
  }
  return { refs, graph, problems };
}

type Found = { graph: CommitGraph; tips: Map<string, string>; problems: string[] };

async function findCommits(take: Take, gitDir: string): Promise<Found> {
  const { agent, known, signal } = take;
  const ask = (tips: Iterable<string>) => readGraph({ gitDir, tips, without: known, ...(signal ? { signal } : {}) });
  const whole = await ask(new Set([...agent.tips.values(), ...agent.past]));
  if (whole !== undefined) return { graph: whole, tips: agent.tips, problems: [] };
  const found: Found = { graph: new Map(), tips: new Map(), problems: [] };
  for (const [name, oid] of [...agent.tips].slice(0, MOST_SINGLE_CHECKS)) {
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

async function fetch(take: Take, source: string): Promise<string> {
  const how = ['--quiet', '--no-tags', '--no-auto-maintenance', '--no-write-fetch-head', '--refmap='];
  const from = ['--upload-pack', otherEnd('upload-pack'), source, `+refs/*:${take.prefix}/*`];
  crashpoint('save.taking');
  const { stderr } = await git(['fetch', ...how, ...from], {
    gitDir: take.mirror.dir,
    timeoutMs: FETCH_TIMEOUT_MS,
    allow: [0, 1, 128],
    ...(take.signal ? { signal: take.signal } : {}),
  });
  crashpoint('save.taken');
  return stderr.trim();
}
