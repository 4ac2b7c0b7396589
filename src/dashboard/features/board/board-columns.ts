import { isInterrupted, isUnresolved } from '../../../core/view/open-run.ts';
import type { RunOverview } from '../../../schema/overview.ts';

/** The columns of the board, from left to right. */
export const COLUMNS = ['queued', 'running', 'needs you', 'landed', 'failed'] as const;
export type Column = (typeof COLUMNS)[number];

export type BoardFilter = { project: string; collection: string; agent: string };

/** The runs of each column that match the filter, the latest first, queued ones in the order of their turn; hidden runs are left out. */
export function boardColumns(
  runs: readonly RunOverview[],
  filter: BoardFilter,
  now: number,
): Map<Column, RunOverview[]> {
  const columns = new Map<Column, RunOverview[]>(COLUMNS.map((column) => [column, []]));
  for (const run of runs) if (!run.hidden && isShown(run, filter)) columns.get(columnOf(run, now))?.push(run);
  columns.get('queued')?.sort(byTurn);
  return columns;
}

/** A run that ended without failing counts as landed: its result is on a branch, at least on its own. */
function columnOf(run: RunOverview, now: number): Column {
  if (run.endedAt === null) {
    if (run.attention.length > 0 || isInterrupted(run)) return 'needs you';
    return run.liveCount > 0 || run.done > 0 ? 'running' : 'queued';
  }
  return isUnresolved(run, now) || run.status === 'failed' || run.status === 'cancelled' ? 'failed' : 'landed';
}

function isShown({ projectId, collection, live }: RunOverview, filter: BoardFilter): boolean {
  if (filter.project !== '' && projectId !== filter.project) return false;
  if (filter.collection !== '' && collection !== filter.collection) return false;
  return filter.agent === '' || live.some(({ agent }) => agent === filter.agent);
}

type Queued = Pick<RunOverview, 'run' | 'priority' | 'startedAt'>;

/** The higher priority first, then the run that was started first: as the engine does it. */
function byTurn(a: Queued, b: Queued): number {
  return b.priority - a.priority || a.startedAt.localeCompare(b.startedAt);
}

const MAX_PRIORITY = 10;

/**
 * The priorities to change so that queued runs get their turn in this order, with as few and as small changes as possible:
 * a run needs a higher priority than the next one only where it was started later.
 */
export function prioritiesFor(order: readonly Queued[]): { run: string; priority: number }[] {
  let below: Queued | undefined;
  const changed = order.toReversed().map((run) => {
    const least = below === undefined ? run.priority : below.priority + (run.startedAt > below.startedAt ? 1 : 0);
    below = { ...run, priority: Math.max(run.priority, least) };
    return below;
  });
  const over = Math.max(0, ...changed.map(({ priority }) => priority - MAX_PRIORITY));
  return changed.flatMap(({ run, priority }, index) => {
    const to = Math.max(-MAX_PRIORITY, priority - over);
    return to === order.at(-1 - index)?.priority ? [] : [{ run, priority: to }];
  });
}

/** A list with one of its runs before another, or at the end. */
export function movedBefore<T extends { run: string }>(runs: readonly T[], moved: string, before: string | null): T[] {
  const found = runs.find(({ run }) => run === moved);
  if (found === undefined || moved === before) return [...runs];
  const others = runs.filter(({ run }) => run !== moved);
  const at = before === null ? others.length : others.findIndex(({ run }) => run === before);
  return others.toSpliced(at < 0 ? others.length : at, 0, found);
}
