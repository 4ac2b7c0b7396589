import { taskOf } from '../../core/run/phase.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { removeAttemptWorkspace } from './attempt-workspace.ts';

/** Removes the workspace of an ended task whose work is saved, once its end is on record; a failed one stays to be looked at. */
export async function removeEndedWorkspace(
  ctx: EngineContext,
  run: ActiveRun,
  key: TaskKey,
  committed: Promise<void>,
): Promise<void> {
  const task = taskOf(run.ledger.state, key);
  if (task.phase.status === 'failed') return;
  if (task.attempts.at(-1)?.ended?.saved == null && task.attempts.length > 0) return;
  await committed;
  // A folder that cannot be removed, or whose teardown fails, stays: its work is saved, and `clean` lists it.
  await removeAttemptWorkspace(ctx, run, task).catch(() => {});
}
