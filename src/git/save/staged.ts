import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '../git.ts';
import { commitTree } from '../merge/commit.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { readPlainFile } from '../plain-file.ts';
import type { CommitGraph } from '../read/commit-graph.ts';
import type { AgentGit } from '../workspace/agent-git.ts';
import { parseIndex } from './index-file.ts';

export type StagedIndex = {
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

/** Whether the agent's index claims to match one of these trees; a false claim hides only the agent's own work. */
export function isIndexOf(index: Buffer | undefined, mirror: Mirror, trees: readonly (string | undefined)[]): boolean {
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
export function readAgentIndex(agent: AgentGit): Promise<Buffer | undefined> {
  return readPlainFile(agent.index, MAX_INDEX_BYTES);
}

/**
 * Commits what the agent staged and did not commit, in our borrowing git directory; undefined if its index has no
 * changes of its own, or has conflicts, whose sides are commits anyway.
 */
export async function commitStaged(options: StagedIndex): Promise<string | undefined> {
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
