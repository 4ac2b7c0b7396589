import { AppError } from '../../errors.ts';
import { git } from '../git.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { changedFiles } from '../read/diff.ts';
import { treeOf } from '../read/tree.ts';
import { isOid } from '../refs/refs.ts';
import { commitTree } from './commit.ts';
import { mergeCommits } from './merge.ts';

/** A landing as it is on record: the commit the branch moved to, the work it carried, and where the branch stood before. */
export type LandedCommit = { commit: string; tip: string; from: string | undefined };

export type PlanUndo = {
  mirror: Mirror;
  /** Where the branch stands now. */
  onto: string;
  /** What is taken back, oldest first. */
  landings: readonly LandedCommit[];
  /** Where the first landing began, when it is not on record. */
  base: string;
  message: string;
  /** Milliseconds since 1970. */
  now: number;
  signal?: AbortSignal;
};

type UndonePath = { path: string; status: 'added' | 'modified' | 'deleted' };

/** `commit` stands on top of the branch and changes exactly what the landings changed, backwards. */
export type UndoPlan =
  | { kind: 'revert'; commit: string; tree: string; files: UndonePath[] }
  | { kind: 'gone' }
  | { kind: 'unknown'; commit: string }
  | { kind: 'conflict'; files: string[] }
  | { kind: 'nothing' };

/**
 * Works out in the mirror how landings are taken back by one new commit: history is never rewritten, and what somebody
 * changed since, in the same places, is a conflict and not lost.
 */
export async function planUndo(options: PlanUndo): Promise<UndoPlan> {
  const { mirror, onto, landings, message, now } = options;
  let so = onto;
  for (const landing of landings.toReversed()) {
    if (!(await isAncestor(mirror, landing.commit, onto))) return { kind: 'gone' };
    const before = await standingBefore(options, landing);
    if (before === undefined) return { kind: 'unknown', commit: landing.commit };
    const tree = await treeOf(mirror, before);
    const backwards = await commitTree({ gitDir: mirror.dir, tree, parents: [landing.commit], message, now });
    const merged = await mergeCommits({ mirror, onto: so, theirs: backwards, message, now, ...signalOf(options) });
    if (merged.kind === 'unrelated') return { kind: 'gone' };
    if (merged.kind === 'conflict') return { kind: 'conflict', files: merged.files };
    so = merged.commit;
  }
  const tree = await treeOf(mirror, so);
  if (tree === (await treeOf(mirror, onto))) return { kind: 'nothing' };
  const commit = await commitTree({ gitDir: mirror.dir, tree, parents: [onto], message, now });
  const files = await changedFiles(mirror, { from: onto, to: commit });
  return { kind: 'revert', commit, tree, files: files.flatMap(plainChange) };
}

/** Whether a commit has another in its history. */
export async function isAncestor(mirror: Mirror, ancestor: string, commit: string): Promise<boolean> {
  for (const oid of [ancestor, commit]) {
    if (!isOid(oid)) throw new AppError('INTERNAL', `An ancestor is a commit, not ${oid}`, { oid });
  }
  const args = ['merge-base', '--is-ancestor', ancestor, commit];
  return (await git(args, { gitDir: mirror.dir, allow: [0, 1, 128] })).code === 0;
}

/**
 * Where the branch stood before a landing: the first parent of our merge; where it was moved forward, what is on record,
 * else where the landing before it, or the run, began. Anything else is not a landing that we made.
 */
async function standingBefore(options: PlanUndo, landing: LandedCommit): Promise<string | undefined> {
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
