import type { RunState, TaskState, TaskStatus } from '../../core/run/state.ts';
import { isInterrupted } from '../../core/view/run-status.ts';
import type { RunOverview } from '../../schema/overview.ts';
import { holds } from './filter.ts';
import type { Top } from './top.ts';

/** The runs under one heading. */
export type RunSection = { title: string; isUrgent: boolean; runs: RunOverview[] };

/** Lower shows first where there is not room for all. */
const RANK: Record<TaskStatus, number> = {
  held: 0,
  blocked: 0,
  failed: 1,
  running: 2,
  conflicted: 3,
  landing: 3,
  verifying: 3,
  analyzing: 3,
  ready: 4,
  waiting: 5,
  done: 6,
  skipped: 7,
  cancelled: 7,
};
const MOVING: ReadonlySet<string> = new Set(['running', 'cancelling']);

/** What needs a person first (the longest waiting at the top), then what runs, then what happened. */
export function runSections({ runs, filters }: Pick<Top, 'runs' | 'filters'>): RunSection[] {
  const shown = [...(runs?.values() ?? [])].filter((run) => !run.hidden && holds(wordsOfRun(run), filters.runs));
  const isWaiting = (run: RunOverview) => run.endedAt === null && (run.attention.length > 0 || isInterrupted(run));
  const isMoving = (run: RunOverview) => run.endedAt === null && !isWaiting(run) && MOVING.has(run.status);
  return [
    {
      title: 'needs you',
      isUrgent: true,
      runs: shown.filter(isWaiting).sort(by(({ attention, updatedAt }) => attention[0]?.since ?? updatedAt)),
    },
    { title: 'running', isUrgent: false, runs: shown.filter(isMoving).sort(by(({ startedAt }) => startedAt)) },
    {
      title: 'recent',
      isUrgent: false,
      runs: shown.filter((run) => !isWaiting(run) && !isMoving(run)).sort((a, b) => (endOf(a) < endOf(b) ? 1 : -1)),
    },
  ].filter((section) => section.runs.length > 0);
}

/** The same without headings, in the order of the screen. */
export function runsInOrder(top: Pick<Top, 'runs' | 'filters'>): RunOverview[] {
  return runSections(top).flatMap(({ runs }) => runs);
}

/** The tasks in the order of the plan if all have room; else what needs a person and what moves first. */
export function tasksInOrder(state: RunState, { filter, room }: { filter: string; room: number }): TaskState[] {
  const asked = `${state.version} ${room} ${filter}`;
  const known = ordered.get(state);
  if (known?.asked === asked) return known.tasks;
  const all = state.order.flatMap((key) => state.tasks[key] ?? []);
  const tasks = filter === '' ? all : all.filter((task) => holds(wordsOfTask(task), filter));
  if (tasks.length > room) tasks.sort((a, b) => RANK[a.phase.status] - RANK[b.phase.status] || a.ordinal - b.ordinal);
  ordered.set(state, { asked, tasks });
  return tasks;
}

/** There may be ten thousand, and the picture is drawn often: they are put in order once for each event. */
const ordered = new WeakMap<RunState, { asked: string; tasks: TaskState[] }>();

function wordsOfRun({ run, title, status, recipe, project, collection }: RunOverview): string {
  return `${run} ${title} ${status} ${recipe} ${project} ${collection ?? ''}`;
}

function wordsOfTask({ spec, phase, attempts }: TaskState): string {
  return `${spec.key} ${spec.title} ${phase.status} ${attempts.at(-1)?.agent ?? ''}`;
}

function by(key: (run: RunOverview) => string): (a: RunOverview, b: RunOverview) => number {
  return (a, b) => key(a).localeCompare(key(b)) || a.run.localeCompare(b.run);
}

function endOf({ endedAt, startedAt }: RunOverview): string {
  return endedAt ?? startedAt;
}
