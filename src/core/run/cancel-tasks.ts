import { AppError } from '../../errors.ts';
import type { RunEvent } from '../../schema/event.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { tasksToInvalidate } from './reopening.ts';
import { requireLive, requireTask } from './require.ts';
import { isOpen, type RunState } from './state.ts';

/** Phases that are not cancelled: work that is landing or being verified is completed. */
const LET_FINISH: ReadonlySet<string> = new Set(['landing', 'verifying']);

/** Ends a run with what has landed: its hold is released, and tasks that have not ended are withdrawn; work that is landing or being verified is completed. */
export function wrapUpRun(state: RunState, reason: string): RunEvent[] {
  requireLive(state);
  if (state.status.kind === 'cancelling')
    throw new AppError('REFUSED', `Run ${state.start.run} is being cancelled`, { run: state.start.run });
  if (state.wrapUp !== undefined) return [];
  const open = state.order.filter((key) => requireTask(state, key).spec.verifies === undefined);
  return [
    { type: 'run.wrapping-up', data: { reason } },
    ...cancelTasks(state, { tasks: open, reason }),
    ...(state.status.kind === 'held'
      ? [{ type: 'run.approved' as const, data: { hold: state.status.hold.id, note: reason } }]
      : []),
  ];
}

/** Withdraws tasks while the run continues, and skips what needs them; ended tasks are not changed. */
export function cancelTasks(state: RunState, what: { tasks: readonly TaskKey[]; reason: string }): RunEvent[] {
  const tasks = what.tasks.filter((key) => {
    const task = requireTask(state, key);
    return isOpen(task) && !LET_FINISH.has(task.phase.status);
  });
  if (tasks.length === 0) return [];
  const cancelled = new Set(tasks);
  const events: RunEvent[] = [{ type: 'tasks.cancelled', data: { tasks, reason: what.reason } }];
  const skipped = new Set<TaskKey>();
  for (const root of tasks) {
    for (const key of tasksToInvalidate(state, root)) {
      if (cancelled.has(key) || skipped.has(key) || !isOpen(requireTask(state, key))) continue;
      skipped.add(key);
      const reason = `it needs ${root}, which was cancelled`;
      events.push({ type: 'task.ended', data: { task: key, status: 'skipped', reason } });
    }
  }
  return events;
}
