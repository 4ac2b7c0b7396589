import { git } from '../git.ts';
import { isOid } from '../refs/refs.ts';

/** Commits with their trees and parents; everything that the question left out is not in it. */
export type CommitGraph = Map<string, { tree: string; parents: string[] }>;

export type GraphQuestion = {
  gitDir: string;
  tips: Iterable<string>;
  without: readonly string[];
  signal?: AbortSignal;
};

/** All commits that lead to the tips and not to `without`; undefined when some of it is missing or damaged. */
export async function readGraph(question: GraphQuestion): Promise<CommitGraph | undefined> {
  const lines = [...question.tips, ...question.without.map((oid) => `^${oid}`)];
  const how = ['--ignore-missing', '--no-commit-header', '--format=%H %T %P', '--stdin'];
  const { signal } = question;
  const options = {
    gitDir: question.gitDir,
    input: `${lines.join('\n')}\n`,
    allow: [0, 128],
    ...(signal ? { signal } : {}),
  };
  const { code, stdout } = await git(['rev-list', ...how], options);
  return code === 0 ? parseGraph(stdout) : undefined;
}

/** Whether `ancestor` is `commit` or lies behind it, by what the graph knows. */
export function descends(graph: CommitGraph, commit: string, ancestor: string): boolean {
  return commit === ancestor || reachable(graph, [commit]).has(ancestor);
}

/** Everything that lies at or behind the commits, as far as the graph goes. */
export function reachable(graph: CommitGraph, commits: Iterable<string>): Set<string> {
  const seen = new Set<string>();
  const open = [...commits];
  for (let commit = open.pop(); commit !== undefined; commit = open.pop()) {
    if (seen.has(commit)) continue;
    seen.add(commit);
    open.push(...(graph.get(commit)?.parents ?? []));
  }
  return seen;
}

function parseGraph(output: string): CommitGraph {
  const graph: CommitGraph = new Map();
  for (const line of output.split('\n')) {
    const [commit, tree, ...parents] = line.split(' ');
    if (commit && tree && isOid(commit)) graph.set(commit, { tree, parents: parents.filter(isOid) });
  }
  return graph;
}
