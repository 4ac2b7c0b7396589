import type { RunState } from '../../../../core/run/state.ts';
import { taskDisplayState, URGENCY } from '../../../ui/state/display-state.ts';

/** A row of the timeline: a task, or the header of a track. */
export type TimelineRow =
  | { kind: 'task'; key: string }
  | { kind: 'track'; track: string; tasks: number; done: number; isCollapsed: boolean };

/** Tasks in the order of their start, then the others in plan order; grouped by track. */
export function timelineRows(state: RunState, collapsed: ReadonlySet<string>): TimelineRow[] {
  const keys = inStartOrder(state);
  const tracks = new Map<string, string[]>();
  for (const key of keys) {
    const track = state.tasks[key]?.spec.track ?? '';
    const group = tracks.get(track);
    if (group === undefined) tracks.set(track, [key]);
    else group.push(key);
  }
  if (tracks.size === 0 || (tracks.size === 1 && tracks.has(''))) return keys.map((key) => ({ kind: 'task', key }));
  return [...tracks]
    .sort(([a], [b]) => a.localeCompare(b))
    .flatMap(([track, group]) => {
      const head = trackHead(state, { track, keys: group, isCollapsed: collapsed.has(track) });
      return head.isCollapsed ? [head] : [head, ...group.map((key) => ({ kind: 'task' as const, key }))];
    });
}

/** The first task in the most urgent state. */
export function mostUrgent(state: RunState): string | undefined {
  let found: { key: string; rank: number } | undefined;
  for (const key of state.order) {
    const status = state.tasks[key]?.phase.status;
    if (status === undefined) continue;
    const rank = URGENCY.indexOf(taskDisplayState(status));
    if (found === undefined || rank < found.rank) found = { key, rank };
    if (rank === 0) break;
  }
  return found?.key;
}

type Track = { track: string; keys: readonly string[]; isCollapsed: boolean };

function trackHead(state: RunState, { track, keys, isCollapsed }: Track): Extract<TimelineRow, { kind: 'track' }> {
  const done = keys.filter((key) => state.tasks[key]?.phase.status === 'done').length;
  return { kind: 'track', track, tasks: keys.length, done, isCollapsed };
}

function inStartOrder(state: RunState): string[] {
  const started: { key: string; at: number }[] = [];
  const waiting: string[] = [];
  for (const key of state.order) {
    const first = state.tasks[key]?.attempts[0];
    if (first === undefined) waiting.push(key);
    else started.push({ key, at: first.startedAt });
  }
  started.sort((a, b) => a.at - b.at);
  return [...started.map(({ key }) => key), ...waiting];
}
