import { AppError } from '../../errors.ts';
import { git } from '../git.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { treeOf } from '../read/commit-graph.ts';
import { changedFiles } from '../read/diff.ts';
import { isOid } from '../refs/refs.ts';
import { commitTree } from './commit.ts';
import { mergeCommits } from './merge.ts';

/** A recorded landing: the commit that the branch moved to, the landed work, and the branch's previous commit. */
export type LandedCommit = { commit: string; tip: string; from: string | undefined };

export type PlanUndo = {
  mirror: Mirror;
  /** The branch's current commit. */
  onto: string;
  /** The landings to revert, oldest first. */
  landings: readonly LandedCommit[];
  /** The start of the first landing, if it is not recorded. */
  base: string;
  message: string;
  /** Milliseconds since 1970. */
  now: number;
  signal?: AbortSignal;
};

type UndonePath = { path: string; status: 'added' | 'modified' | 'deleted' };

/** `commit` is a child of the branch's tip and reverts exactly what the landings changed. */
export type UndoPlan =
  | { kind: 'revert'; commit: string; tree: string; files: UndonePath[] }
  | { kind: 'gone' }
  | { kind: 'unknown'; commit: string }
  | { kind: 'conflict'; files: string[] }
  | { kind: 'nothing' };

/**
 * Computes in the mirror one new commit that reverts landings: history is never rewritten, and later changes of the same
 * lines are a conflict and never lost.
 */
export async function planUndo(options: PlanUndo): Promise<UndoPlan> {
  const { mirror, onto, landings, message, now } = options;
  let tip = onto;
  for (const landing of landings.toReversed()) {
    if (!(await isAncestor(mirror, landing.commit, onto))) return { kind: 'gone' };
    const before = await tipBefore(options, landing);
    if (before === undefined) return { kind: 'unknown', commit: landing.commit };
    const tree = await treeOf(mirror, before);
    const backwards = await commitTree({ gitDir: mirror.dir, tree, parents: [landing.commit], message, now });
    const merged = await mergeCommits({ mirror, onto: tip, theirs: backwards, message, now, ...signalOf(options) });
    if (merged.kind === 'unrelated') return { kind: 'gone' };
    if (merged.kind === 'conflict') return { kind: 'conflict', files: merged.files };
    tip = merged.commit;
  }
  const tree = await treeOf(mirror, tip);
  if (tree === (await treeOf(mirror, onto))) return { kind: 'nothing' };
  const commit = await commitTree({ gitDir: mirror.dir, tree, parents: [onto], message, now });
  const files = await changedFiles(mirror, { from: onto, to: commit });
  return { kind: 'revert', commit, tree, files: files.flatMap(plainChange) };
}

/** Whether a commit has another one in its history. */
export async function isAncestor(mirror: Mirror, ancestor: string, commit: string): Promise<boolean> {
  for (const oid of [ancestor, commit]) {
    if (!isOid(oid)) throw new AppError('INTERNAL', `${oid} is not a commit id`, { oid });
  }
  const args = ['merge-base', '--is-ancestor', ancestor, commit];
  return (await git(args, { gitDir: mirror.dir, allow: [0, 1, 128] })).code === 0;
}

/**
 * The branch's commit before a landing: the first parent of our merge; for a fast-forward the recorded commit, else the
 * previous landing or the start of the run. Undefined for anything else, which is not one of our landings.
 */
async function tipBefore(options: PlanUndo, landing: LandedCommit): Promise<string | undefined> {
  const { mirror, landings, base } = options;
  const { stdout } = await git(['rev-list', '--parents', '-n', '1', '--end-of-options', landing.commit], {
    gitDir: mirror.dir,
  });
  const [, first, second, third] = stdout.trim().split(' ');
  if (landing.commit !== landing.tip) return second === landing.tip && third === undefined ? first : undefined;
  const earlier = landings[landings.indexOf(landing) - 1]?.commit;
  const known = landing.from === landing.commit ? undefined : landing.from;
  const before = known ?? earlier ?? base;
  return before !== landing.commit && (await isAncestor(mirror, before, landing.commit)) ? before : undefined;
}

function plainChange({ path, status }: { path: string; status: UndonePath['status'] | 'renamed' }): UndonePath[] {
  return status === 'renamed' ? [] : [{ path, status }];
}

function signalOf({ signal }: PlanUndo): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
