import { isInterrupted, isUnresolved } from '../../../core/view/open-run.ts';
import type { RunOverview } from '../../../schema/overview.ts';

/** The columns of the board, from left to right. */
export const COLUMNS = ['queued', 'running', 'needs you', 'landed', 'failed'] as const;
export type Column = (typeof COLUMNS)[number];

export type BoardFilter = { project: string; collection: string; agent: string };

/** The runs of each column that match the filter, the latest first; hidden runs are left out. */
export function boardColumns(
  runs: readonly RunOverview[],
  filter: BoardFilter,
  now: number,
): Map<Column, RunOverview[]> {
  const columns = new Map<Column, RunOverview[]>(COLUMNS.map((column) => [column, []]));
  for (const run of runs) if (!run.hidden && isShown(run, filter)) columns.get(columnOf(run, now))?.push(run);
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
