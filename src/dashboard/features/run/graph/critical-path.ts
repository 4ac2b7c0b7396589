import type { RunState, TaskState } from '../../../../core/run/state.ts';

/** A task that has not begun is assumed to take as long as the others did on average, or this. */
const ASSUMED_MS = 60_000;

/** The tasks of the longest chain of dependencies by time, which decides when the run ends; empty if no task needs another. */
export function criticalPath(state: RunState, now: number): ReadonlySet<string> {
  const average = averageMs(state);
  const ends = new Map<string, { at: number; before: string | null }>();
  let last: string | null = null;
  for (const key of state.order) {
    const task = state.tasks[key];
    if (task === undefined) continue;
    let before: string | null = null;
    for (const need of task.spec.needs) {
      if ((ends.get(need)?.at ?? -1) > (before === null ? -1 : (ends.get(before)?.at ?? -1))) before = need;
    }
    const from = before === null ? 0 : (ends.get(before)?.at ?? 0);
    const at = from + (msOf(task, now) ?? average);
    ends.set(key, { at, before });
    if (before !== null && at > (last === null ? -1 : (ends.get(last)?.at ?? 0))) last = key;
  }
  const path = new Set<string>();
  for (let key = last; key !== null && !path.has(key); key = ends.get(key)?.before ?? null) path.add(key);
  return path;
}

function averageMs(state: RunState): number {
  const known = state.order.flatMap((key) => {
    const task = state.tasks[key];
    return task?.phase.status === 'done' ? (msOf(task, task.phase.at) ?? []) : [];
  });
  return known.length === 0 ? ASSUMED_MS : known.reduce((sum, ms) => sum + ms, 0) / known.length;
}

/** The time from its first attempt to its end, or to now. */
function msOf({ attempts, phase }: TaskState, now: number): number | undefined {
  const start = attempts[0]?.startedAt;
  if (start === undefined) return undefined;
  return Math.max(('at' in phase ? phase.at : now) - start, 1);
}

/** Why a task does not run now; undefined if it runs or has ended. */
export function waitingReason(state: RunState, { spec, phase }: TaskState): string | undefined {
  switch (phase.status) {
    case 'waiting': {
      const open = spec.needs.filter((need) => state.tasks[need]?.phase.status !== 'done');
      const [first] = open;
      const title = first === undefined ? undefined : state.tasks[first]?.spec.title;
      return title === undefined
        ? 'waits'
        : `waits for ${title}${open.length > 1 ? ` and ${open.length - 1} more` : ''}`;
    }
    case 'ready':
      if (state.status.kind === 'held') return 'waits for your approval';
      return Object.keys(state.paused).length > 0 ? 'paused' : 'waits for a free agent';
    case 'held':
      return `needs you: ${phase.hold.reason}`;
    case 'blocked':
      return `blocked: ${phase.reason}`;
    case 'conflicted':
      return 'waits for its conflict to be resolved';
    case 'analyzing':
      return 'its failure is analyzed';
    case 'verifying':
      return 'is verified';
    case 'landing':
      return 'checks run';
    case 'running':
    case 'done':
    case 'failed':
    case 'skipped':
    case 'cancelled':
      return undefined;
  }
}
