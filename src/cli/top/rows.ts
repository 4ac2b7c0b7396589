import type { RunState, TaskState, TaskStatus } from '../../core/run/state.ts';
import { isHidden, isInterrupted } from '../../core/view/open-run.ts';
import type { RunOverview } from '../../schema/overview.ts';
import type { Top } from './top-state.ts';
import { matches } from './transcript-view.ts';

/** The runs under one heading. */
export type RunSection = { title: string; isUrgent: boolean; runs: RunOverview[] };

/** Tasks with a lower rank are shown first when not all fit. */
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
const ACTIVE: ReadonlySet<string> = new Set(['running', 'cancelling']);

/** Runs that need the user first (longest waiting at the top), then running ones, then recent ones. */
export function runSections({ runs, filters }: Pick<Top, 'runs' | 'filters'>): RunSection[] {
  const shown = [...(runs?.values() ?? [])].filter((run) => !isHidden(run) && matches(runText(run), filters.runs));
  const isWaiting = (run: RunOverview) => run.endedAt === null && (run.attention.length > 0 || isInterrupted(run));
  const isRunning = (run: RunOverview) => run.endedAt === null && !isWaiting(run) && ACTIVE.has(run.status);
  return [
    {
      title: 'needs you',
      isUrgent: true,
      runs: shown.filter(isWaiting).sort(compareBy(({ attention, updatedAt }) => attention[0]?.since ?? updatedAt)),
    },
    { title: 'running', isUrgent: false, runs: shown.filter(isRunning).sort(compareBy(({ startedAt }) => startedAt)) },
    {
      title: 'recent',
      isUrgent: false,
      runs: shown.filter((run) => !isWaiting(run) && !isRunning(run)).sort((a, b) => (endOf(a) < endOf(b) ? 1 : -1)),
    },
  ].filter((section) => section.runs.length > 0);
}

/** The runs without headings, in screen order. */
export function runsInOrder(top: Pick<Top, 'runs' | 'filters'>): RunOverview[] {
  return runSections(top).flatMap(({ runs }) => runs);
}

/** The tasks in plan order if all fit; else those that need the user and active ones first. */
export function tasksInOrder(state: RunState, { filter, rows }: { filter: string; rows: number }): TaskState[] {
  const key = `${state.version} ${rows} ${filter}`;
  const known = ordered.get(state);
  if (known?.key === key) return known.tasks;
  const all = state.order.flatMap((task) => state.tasks[task] ?? []);
  const tasks = filter === '' ? all : all.filter((task) => matches(taskText(task), filter));
  if (tasks.length > rows) tasks.sort((a, b) => RANK[a.phase.status] - RANK[b.phase.status] || a.ordinal - b.ordinal);
  ordered.set(state, { key, tasks });
  return tasks;
}

/** There may be ten thousand tasks and frequent redraws, so the order is computed once per event. */
const ordered = new WeakMap<RunState, { key: string; tasks: TaskState[] }>();

function runText({ run, title, status, recipe, project, collection }: RunOverview): string {
  return `${run} ${title} ${status} ${recipe} ${project} ${collection ?? ''}`;
}

function taskText({ spec, phase, attempts }: TaskState): string {
  return `${spec.key} ${spec.name ?? ''} ${spec.title} ${phase.status} ${attempts.at(-1)?.agent ?? ''}`;
}

function compareBy(key: (run: RunOverview) => string): (a: RunOverview, b: RunOverview) => number {
  return (a, b) => key(a).localeCompare(key(b)) || a.run.localeCompare(b.run);
}

function endOf({ endedAt, startedAt }: RunOverview): string {
  return endedAt ?? startedAt;
}
