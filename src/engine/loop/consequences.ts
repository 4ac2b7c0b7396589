import { isOpen, type RunState } from '../../core/run/state.ts';
import type { RunEvent } from '../../schema/event.ts';
import type { TaskKey } from '../../schema/ids.ts';

/** The tasks that these events ended. */
export function endedBy(events: readonly RunEvent[]): TaskKey[] {
  return events.flatMap((event) => {
    if (event.type === 'task.ended') return [event.data.task];
    return event.type === 'tasks.landed' ? event.data.tasks : [];
  });
}

/** All tasks that have ended, in their order. */
export function endedTasks(state: RunState): TaskKey[] {
  return state.order.filter((key) => {
    const task = state.tasks[key];
    return task !== undefined && !isOpen(task);
  });
}

/** What a recipe is asked about once the base was checked, or a person approved: the beginning, and all that ended meanwhile. */
export function restartedBy(events: readonly RunEvent[], state: RunState): (TaskKey | undefined)[] {
  if (events.some((event) => event.type === 'run.approved')) return [undefined, ...endedTasks(state)];
  return events.some((event) => event.type === 'run.base-checked') ? [undefined] : [];
}

/** The tasks whose running attempt these events break off. */
export function interruptedBy(events: readonly RunEvent[], state: RunState): TaskKey[] {
  return events.flatMap((event) => {
    if (event.type !== 'task.messaged' && event.type !== 'task.requeued') return [];
    return state.tasks[event.data.task]?.interrupt == null ? [] : [event.data.task];
  });
}
