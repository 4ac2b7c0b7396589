import { AppError } from '../../errors.ts';
import type { RunEvent } from '../../schema/event.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { taskLabel } from '../view/task-label.ts';
import { retryTasks } from './decide-run.ts';
import { isAuxiliary } from './reopening.ts';
import { requireTask } from './require.ts';
import type { RunState } from './state.ts';

const CLOSED: ReadonlySet<string> = new Set(['done', 'failed', 'skipped', 'cancelled']);
const OPEN: ReadonlySet<string> = new Set(['running', 'held', 'blocked', 'ready']);

/** Queues tasks again with a clean workspace and reset caps; without a task, all that can be retried. */
export function requeueTasks(state: RunState, what: { task?: TaskKey; reason: string }): RunEvent[] {
  const { task: key, reason } = what;
  const task = key === undefined ? undefined : requireTask(state, key);
  if (task === undefined || CLOSED.has(task.phase.status)) {
    const events = retryTasks(state, what);
    return [...events, ...requeued(rootsOf(state, events, key), reason)];
  }
  if (state.status.kind === 'cancelling')
    throw new AppError('REFUSED', `Run ${state.start.run} is being cancelled; retry once it has ended`, {
      run: state.start.run,
    });
  if (!OPEN.has(task.phase.status) || isAuxiliary(task) || task.attempts.length === 0)
    throw new AppError('REFUSED', `Task ${taskLabel(task.spec)} is ${task.phase.status} and cannot be queued again`, {
      key,
    });
  return requeued([task.spec.key], reason);
}

function requeued(tasks: readonly TaskKey[], reason: string): RunEvent[] {
  return tasks.map((task) => ({ type: 'task.requeued', data: { task, reason } }));
}

/** Of the reopened tasks, those with attempts; an invalidated task starts from the branch in any case. */
function rootsOf(state: RunState, events: readonly RunEvent[], key: TaskKey | undefined): TaskKey[] {
  return events.flatMap((event) => {
    if (event.type !== 'run.reopened') return [];
    const { tasks } = event.data;
    return (key === undefined || !tasks.includes(key) ? tasks : [key]).filter((one) => {
      const task = state.tasks[one];
      return task !== undefined && task.attempts.length > 0 && !isAuxiliary(task);
    });
  });
}
