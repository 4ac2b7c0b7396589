import { canReopen, invalidation, isServing, reopening } from '../../../../core/run/reopening.ts';
import type { RunState } from '../../../../core/run/state.ts';

/** What trying a task again does: it opens tasks that did not get done, or makes done ones stale. */
export type RetryEffect = { kind: 'reopens' | 'makes-stale'; tasks: string[] };

/** What would follow if a person had this task tried again; nothing where that cannot be asked for. */
export function retryEffect(state: RunState, key: string): RetryEffect | null {
  const task = state.tasks[key];
  if (task === undefined || state.status.kind === 'cancelling') return null;
  if (task.phase.status === 'done') {
    return isServing(task) ? null : { kind: 'makes-stale', tasks: invalidation(state, key) };
  }
  return canReopen(state, key) ? { kind: 'reopens', tasks: reopening(state, [key]) } : null;
}
