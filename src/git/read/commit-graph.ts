import { AppError } from '../../errors.ts';
import { git } from '../git.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { isOid } from '../refs/refs.ts';
import { readCommit } from './objects.ts';

/** Commits with their trees and parents, without those that the query excludes. */
export type CommitGraph = Map<string, { tree: string; parents: string[] }>;

export type GraphQuery = {
  gitDir: string;
  tips: Iterable<string>;
  without: readonly string[];
  signal?: AbortSignal;
};

/** All commits reachable from the tips and not from `without`; undefined if some are missing or damaged. */
export async function readGraph(query: GraphQuery): Promise<CommitGraph | undefined> {
  const lines = [...query.tips, ...query.without.map((oid) => `^${oid}`)];
  const how = ['--ignore-missing', '--no-commit-header', '--format=%H %T %P', '--stdin'];
  const { signal } = query;
  const options = {
    gitDir: query.gitDir,
    input: `${lines.join('\n')}\n`,
    allow: [0, 128],
    ...(signal ? { signal } : {}),
  };
  const { code, stdout } = await git(['rev-list', ...how], options);
  return code === 0 ? parseGraph(stdout) : undefined;
}

/** Whether `ancestor` is `commit` or reachable from it within the graph. */
export function descends(graph: CommitGraph, commit: string, ancestor: string): boolean {
  return commit === ancestor || reachable(graph, [commit]).has(ancestor);
}

/** All commits reachable from these commits within the graph, including themselves. */
export function reachable(graph: CommitGraph, commits: Iterable<string>): Set<string> {
  const visited = new Set<string>();
  const open = [...commits];
  for (let commit = open.pop(); commit !== undefined; commit = open.pop()) {
    if (visited.has(commit)) continue;
    visited.add(commit);
    open.push(...(graph.get(commit)?.parents ?? []));
  }
  return visited;
}

function parseGraph(output: string): CommitGraph {
  const graph: CommitGraph = new Map();
  for (const line of output.split('\n')) {
    const [commit, tree, ...parents] = line.split(' ');
    if (commit && tree && isOid(commit)) graph.set(commit, { tree, parents: parents.filter(isOid) });
  }
  return graph;
}

/** The id of a commit's tree. */
export async function treeOf(mirror: Mirror, commit: string): Promise<string> {
  if (isOid(commit)) return (await readCommit(mirror, commit)).tree;
  const { stdout } = await git(['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`], {
    gitDir: mirror.dir,
  });
  const tree = stdout.trim();
  if (!isOid(tree)) throw new AppError('GIT_FAILED', `Commit ${commit} has no tree`, { commit });
  return tree;
}
