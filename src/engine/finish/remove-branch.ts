import { recordRemovedBranch } from '../../core/finish/decide-finish.ts';
import { AppError } from '../../errors.ts';
import { refreshMirror } from '../../git/mirror/refresh.ts';
import { deleteBranch } from '../../git/refs/delete-branch.ts';
import { readRef, writeRef } from '../../git/refs/mirror-refs.ts';
import type { Origin } from '../../schema/actor.ts';
import type { UndoResult } from '../../schema/change.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';

/** Deletes the branch of a run in the user's repository, after its commits were saved under a ref. */
export async function removeBranch(
  ctx: EngineContext,
  run: ActiveRun,
  { dryRun, notes, origin }: { dryRun: boolean; notes: string[]; origin: Origin },
): Promise<UndoResult['deleted']> {
  const { mirror, repository } = run.project;
  const branch = `mh/${run.id}`;
  await refreshMirror(mirror, repository);
  const commit = await readRef(mirror, `refs/user/heads/${branch}`);
  const { pushed, tip } = run.ledger.state;
  if (commit === undefined) {
    notes.push(`There is no branch ${branch}.`);
    if (pushed !== null && !dryRun)
      await record(ctx, run, { branch, commit: tip.commit, ref: `refs/manyhands/runs/${run.id}` }, origin);
    return null;
  }
  const removed = { branch, commit, ref: `refs/manyhands/branches/${run.id}/${commit}` };
  if (commit !== tip.commit)
    notes.push(`${branch} contains commits that the run did not make; they are kept under ${removed.ref}.`);
  if (dryRun) return removed;
  await writeRef(mirror, { ref: removed.ref, to: commit, expected: null });
  if ((await readRef(mirror, removed.ref)) !== commit)
    throw new AppError('WORK_UNSAVED', `${branch} could not be saved`, { branch });
  const result = await deleteBranch({ mirror, repository, branch, expected: commit });
  if (result.kind === 'refused')
    throw new AppError('UNDO_UNSAFE', `The branch ${branch} could not be deleted: ${result.detail}`, { branch });
  await record(ctx, run, removed, origin);
  return removed;
}

async function record(
  ctx: EngineContext,
  run: ActiveRun,
  data: { branch: string; commit: string; ref: string },
  origin: Origin,
): Promise<void> {
  await ctx.submit(run, () => recordRemovedBranch(data), { origin }).committed;
}
