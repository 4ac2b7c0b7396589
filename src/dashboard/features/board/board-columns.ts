import { isHidden, isInterrupted, isUnresolved } from '../../../core/view/open-run.ts';
import type { BoardColumn, BoardRun, BoardTask, RunOverview } from '../../../schema/overview.ts';
import { byTurn, type Queued, queuedRun, queuedTask } from './queue-order.ts';

/** The columns from left to right. */
export const COLUMNS: readonly BoardColumn[] = ['queued', 'running', 'needs you', 'done', 'landed', 'failed'];

export type BoardFilter = { project: string; collection: string; agent: string };

/** A card of the board: a task, or a run where that is shown as a whole. `queued` is there in the first column only. */
export type Card = { id: string; run: RunOverview; task?: BoardTask; queued?: Queued };

/** The cards of a column, and how many there are in all: of a large run only some are sent. */
export type BoardCards = { cards: Card[]; count: number };

/** The runs of each column that match the filter, the latest first, queued ones in the order of their turn; hidden runs that ended are left out. */
export function runColumns(
  runs: readonly RunOverview[],
  filter: BoardFilter,
  now: number,
): Map<BoardColumn, BoardCards> {
  const columns = emptyColumns();
  for (const run of runs) {
    if (!isShown(run, filter) || (filter.agent !== '' && !run.live.some(({ agent }) => agent === filter.agent)))
      continue;
    const column = columnOf(run, now);
    put(columns, column, runCard(run, column, now));
  }
  return inTurn(columns);
}

/** The tasks of each column, in the same order; what concerns a whole run, such as a plan that waits, is a card of the run. */
export function taskColumns(
  runs: readonly RunOverview[],
  { tasks, filter, now }: { tasks: ReadonlyMap<string, BoardRun>; filter: BoardFilter; now: number },
): Map<BoardColumn, BoardCards> {
  const columns = emptyColumns();
  for (const run of runs) {
    if (!isShown(run, filter)) continue;
    const whole = filter.agent === '' ? columnOfWhole(run, now) : undefined;
    if (whole !== undefined) put(columns, whole, runCard(run, whole, now));
    const known = tasks.get(run.run);
    for (const column of COLUMNS) {
      const listed = known?.tasks[column] ?? [];
      for (const [position, task] of listed.entries()) {
        const queued = column === 'queued' ? queuedTask(run, { task, position }, now) : undefined;
        put(columns, column, { id: `${run.run} ${task.task}`, run, task, ...(queued === undefined ? {} : { queued }) });
      }
      const target = columns.get(column);
      if (target !== undefined) target.count += (known?.counts[column] ?? 0) - listed.length;
    }
  }
  for (const [column, { cards }] of columns) if (column !== 'queued') cards.sort((a, b) => timeOf(b) - timeOf(a));
  return inTurn(columns);
}

/** The runs whose tasks the board shows: the open ones, and of the ended ones the latest. */
export function runsOnBoard(runs: readonly RunOverview[], filter: BoardFilter): RunOverview[] {
  const shown = runs.filter((run) => isShown(run, filter));
  const ended = shown.filter(({ endedAt }) => endedAt !== null).slice(0, MAX_ENDED);
  return [...shown.filter(({ endedAt }) => endedAt === null), ...ended];
}

const MAX_ENDED = 20;

function runCard(run: RunOverview, column: BoardColumn, now: number): Card {
  return { id: run.run, run, ...(column === 'queued' ? { queued: queuedRun(run, now) } : {}) };
}

function emptyColumns(): Map<BoardColumn, BoardCards> {
  return new Map(COLUMNS.map((column) => [column, { cards: [], count: 0 }]));
}

function put(columns: ReadonlyMap<BoardColumn, BoardCards>, column: BoardColumn, card: Card): void {
  const target = columns.get(column);
  if (target === undefined) return;
  target.cards.push(card);
  target.count += 1;
}

function inTurn(columns: Map<BoardColumn, BoardCards>): Map<BoardColumn, BoardCards> {
  columns
    .get('queued')
    ?.cards.sort((a, b) => (a.queued === undefined || b.queued === undefined ? 0 : byTurn(a.queued, b.queued)));
  return columns;
}

function timeOf({ run, task }: Card): number {
  return task?.at ?? Date.parse(run.updatedAt);
}

/** A run that ended without failing is done until its result has landed. */
function columnOf(run: RunOverview, now: number): BoardColumn {
  if (run.endedAt === null) {
    if (run.attention.length > 0 || isInterrupted(run)) return 'needs you';
    return run.liveCount > 0 || run.done > 0 ? 'running' : 'queued';
  }
  if (run.resultLanded) return 'landed';
  return isUnresolved(run, now) || run.status === 'failed' || run.status === 'cancelled' ? 'failed' : 'done';
}

/** Where a run is shown as a whole beside its tasks: it waits itself, it has no tasks yet, or it failed before one did. */
function columnOfWhole(run: RunOverview, now: number): BoardColumn | undefined {
  const column = columnOf(run, now);
  if (run.tasks === 0) return column;
  if (column === 'failed') return run.failure !== null && run.failure.task === null ? 'failed' : undefined;
  if (column !== 'needs you') return undefined;
  return isInterrupted(run) || run.attention.some(({ task }) => task === null) ? 'needs you' : undefined;
}

function isShown(run: RunOverview, filter: BoardFilter): boolean {
  if (isHidden(run) || (filter.project !== '' && run.projectId !== filter.project)) return false;
  return filter.collection === '' || run.collection === filter.collection;
}
