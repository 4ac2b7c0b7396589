import type { RunState, TaskState } from '../../../../core/run/state.ts';
import { causeOf } from './graph-model.ts';

/** A task that has not begun is assumed to take as long as the others did on average, or this. */
const ASSUMED_MS = 60_000;

/** The chain of tasks that decides when the run ends: back from the last one, over what each began after; empty if no task follows another. */
export function criticalPath(state: RunState, now: number): ReadonlySet<string> {
  const average = averageMs(state);
  const ends = new Map<string, { at: number; before: string | null }>();
  const endOf = (key: string | null) => (key === null ? undefined : ends.get(key)?.at) ?? Number.NEGATIVE_INFINITY;
  let last: string | null = null;
  for (const key of state.order) {
    const task = state.tasks[key];
    if (task === undefined) continue;
    let before: string | null = null;
    for (const earlier of [...task.spec.needs, causeOf(task)]) if (endOf(earlier) > endOf(before)) before = earlier;
    const at = endAt(task, now) ?? Math.max(endOf(before), state.startedAt) + average;
    ends.set(key, { at, before });
    if (before !== null && at > endOf(last)) last = key;
  }
  const path = new Set<string>();
  for (let key = last; key !== null && !path.has(key); key = ends.get(key)?.before ?? null) path.add(key);
  return path;
}

function averageMs(state: RunState): number {
  const known = state.order.flatMap((key) => {
    const task = state.tasks[key];
    const start = task?.attempts[0]?.startedAt;
    return task?.phase.status === 'done' && start !== undefined ? [Math.max(task.phase.at - start, 1)] : [];
  });
  return known.length === 0 ? ASSUMED_MS : known.reduce((sum, ms) => sum + ms, 0) / known.length;
}

/** When a task that has begun ended, or now. */
function endAt({ attempts, phase }: TaskState, now: number): number | undefined {
  return attempts.length === 0 ? undefined : 'at' in phase ? phase.at : now;
}
