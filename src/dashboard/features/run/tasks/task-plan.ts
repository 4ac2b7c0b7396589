import { canReopen, isAuxiliary, tasksToInvalidate, tasksToReopen } from '../../../../core/run/reopening.ts';
import type { RunState, TaskState } from '../../../../core/run/state.ts';
import { type DisplayState, taskDisplayState } from '../../../ui/state/display-state.ts';

/** A row of the plan: a task with its depth, or the header of a track. */
export type PlanRow = { kind: 'task'; key: string; depth: number } | { kind: 'track'; track: string; tasks: number };
export type PlanFilter = { displayState: DisplayState | null; text: string };

const DEEPEST = 8;

/** The plan as a list in its order, grouped by track and indented by dependency depth. */
export function planRows(state: RunState, filter: PlanFilter): PlanRow[] {
  const depths = depthsOf(state);
  const stale = staleTasks(state);
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const tracks = new Map<string, PlanRow[]>();
  for (const key of state.order) {
    const task = state.tasks[key];
    if (task === undefined || !matches(task, { ...filter, words, stale })) continue;
    const track = task.spec.track ?? '';
    const rows = tracks.get(track) ?? [];
    tracks.set(track, rows);
    rows.push({ kind: 'task', key, depth: depths.get(key) ?? 0 });
  }
  if (tracks.size === 1 && tracks.has('')) return tracks.get('') ?? [];
  return [...tracks].flatMap(([track, rows]) => [{ kind: 'track', track, tasks: rows.length }, ...rows]);
}

/** The number of tasks in each display state. */
export function displayStateCounts(state: RunState): Map<DisplayState, number> {
  const stale = staleTasks(state);
  const counts = new Map<DisplayState, number>();
  for (const key of state.order) {
    const task = state.tasks[key];
    if (task === undefined) continue;
    const displayState = taskDisplayState(task.phase.status, stale.has(key));
    counts.set(displayState, (counts.get(displayState) ?? 0) + 1);
  }
  return counts;
}

/** Invalidated tasks and all their dependents. */
export function staleTasks(state: RunState): ReadonlySet<string> {
  const stale = new Set(state.invalidated);
  for (const key of stale) for (const dependent of state.dependents[key] ?? []) stale.add(dependent);
  return stale;
}

/** The dependency depth of each task; tasks are listed after their needs. */
export function depthsOf(state: RunState): Map<string, number> {
  const depths = new Map<string, number>();
  for (const key of state.order) {
    const needs = state.tasks[key]?.spec.needs ?? [];
    const depth = needs.reduce((deepest, need) => Math.max(deepest, (depths.get(need) ?? -1) + 1), 0);
    depths.set(key, Math.min(depth, DEEPEST));
  }
  return depths;
}

type TaskFilter = PlanFilter & { words: readonly string[]; stale: ReadonlySet<string> };

function matches({ spec, phase }: TaskState, { displayState, words, stale }: TaskFilter): boolean {
  if (displayState !== null && taskDisplayState(phase.status, stale.has(spec.key)) !== displayState) return false;
  if (words.length === 0) return true;
  const text = `${spec.key} ${spec.title} ${spec.name ?? ''} ${spec.role}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** The effect of retrying a task: it reopens unfinished tasks, or makes done ones stale. */
type RetryEffect = { kind: 'reopens' | 'makes-stale'; tasks: string[] };

/** The effect of retrying a task; null if it cannot be retried. */
export function retryEffect(state: RunState, key: string): RetryEffect | null {
  const task = state.tasks[key];
  if (task === undefined || state.status.kind === 'cancelling') return null;
  if (task.phase.status === 'done') {
    return isAuxiliary(task) ? null : { kind: 'makes-stale', tasks: tasksToInvalidate(state, key) };
  }
  return canReopen(state, key) ? { kind: 'reopens', tasks: tasksToReopen(state, [key]) } : null;
}
