import type { WaitsFor } from '../../schema/document.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { hasLanded, lastAttempt, openTasks, type RunState, type TaskState } from '../run/state.ts';
import { openSubRuns } from '../run/sub-run-state.ts';
import { labelOf } from '../view/task-label.ts';

/** When the next task of a run starts that has nothing else to do until then; only requested times count, not delays of retries. */
export function nextStartAt(state: RunState): number | undefined {
  const { ready, running, analyzing, landing, verifying, conflicted } = state.counts;
  if (state.status.kind !== 'running' || '' in state.paused) return undefined;
  if (running + analyzing + landing + verifying + conflicted > 0) return undefined;
  const waiting = Object.entries(state.delayed);
  if (waiting.length === 0 || ready > waiting.length) return undefined;
  const isRequested = waiting.every(([key, at]) => state.tasks[key]?.spec.notBefore === at);
  return isRequested ? waiting.reduce((first, [, at]) => Math.min(first, at), Number.POSITIVE_INFINITY) : undefined;
}

/** Why the task of a run that would start next does not; `until` in milliseconds, where the wait ends by itself. */
export type Wait = { kind: WaitsFor['kind']; text: string; until?: number | undefined; task: TaskKey };

/** The wait of a run whose tasks all start later: the earliest time, of a first attempt or of a retry. */
export function startWait(state: RunState): Wait | undefined {
  let first: { task: TaskKey; at: number } | undefined;
  for (const [task, at] of Object.entries(state.delayed))
    if (first === undefined || at < first.at) first = { task, at };
  if (first === undefined) return subRunWait(state);
  const task = state.tasks[first.task];
  const failure = task === undefined ? undefined : lastAttempt(task)?.ended?.failure;
  const until = { until: first.at, task: first.task };
  if (failure == null) return { kind: 'time', text: 'scheduled', ...until };
  return { kind: 'retry', text: `${labelOf(state, first.task)} waits for its retry`, ...until };
}

/** The wait of a run whose own tasks have all ended. */
function subRunWait(state: RunState): Wait | undefined {
  const [sub] = openSubRuns(state);
  if (sub === undefined || openTasks(state) > 0) return undefined;
  return { kind: 'run', text: `waits for its sub-run ${sub.run}`, task: sub.task };
}

/** A wait as entry points show it. */
export function waitsFor({ kind, text, until, task }: Wait): WaitsFor {
  return { kind, text, until: until === undefined ? null : new Date(until).toISOString(), task };
}

/** What a task waits for when no attempt may start. */
export function slotsWait({
  slotLimit,
  shortage,
}: {
  slotLimit?: number | undefined;
  shortage?: string | undefined;
}): Omit<Wait, 'task'> {
  const busy = slotLimit === undefined ? 'all slots busy' : `${slotLimit} of ${slotLimit} slots busy`;
  return { kind: 'slots', text: shortage ?? busy };
}

/** The status of other runs and tasks that tasks wait for by `after`. */
type Outside = Readonly<Record<string, 'open' | 'done' | 'failed'>>;

/** What a task waits for that other runs, or a landing of its own, decide. */
export function reasonToWait(state: RunState, task: TaskState, outside: Outside): Omit<Wait, 'task'> | undefined {
  const before = outsideOf(task, outside);
  if (before !== undefined) {
    const [run = '', ...key] = before.ref.split('/');
    return {
      kind: 'run',
      text: key.length === 0 ? `waits for run ${run}` : `waits for task ${key.join('/')} of run ${run}`,
    };
  }
  return task.spec.afterLanding === true && !hasLanded(state)
    ? { kind: 'landing', text: 'waits until the work so far has landed on the base' }
    : undefined;
}

/** The first of the other runs and tasks that a task comes after which is not done. */
export function outsideOf({ spec }: TaskState, outside: Outside): { ref: string; is: 'open' | 'failed' } | undefined {
  for (const ref of spec.after ?? []) {
    const is = outside[ref] ?? 'open';
    if (is !== 'done') return { ref, is };
  }
  return undefined;
}
