import { agedPriority } from '../../../core/schedule/queue.ts';
import type { BoardTask, RunOverview } from '../../../schema/overview.ts';

/** A queued run or task, with what decides when it gets its turn. */
export type Queued = {
  id: string;
  run: string;
  priority: number;
  /** What the engine adds to the priority of a run that has waited long. */
  aged: number;
  /** A task that needs others cannot start before one that needs none. */
  isBlocked: boolean;
  startedAt: string;
  /** The position among the tasks of its run. */
  position: number;
};

export function queuedRun(run: RunOverview, now: number): Queued {
  const { startedAt, priority } = run;
  return { id: run.run, run: run.run, priority, aged: agedBy(run, now), isBlocked: false, startedAt, position: 0 };
}

export function queuedTask(
  run: RunOverview,
  { task: { task, priority, status }, position }: { task: BoardTask; position: number },
  now: number,
): Queued {
  const { startedAt } = run;
  const isBlocked = status === 'waiting';
  return { id: `${run.run} ${task}`, run: run.run, priority, aged: agedBy(run, now), isBlocked, startedAt, position };
}

function agedBy({ startedAt, liveCount }: RunOverview, now: number): number {
  return agedPriority(0, { startedAt: Date.parse(startedAt), isIdle: liveCount === 0, now });
}

/** The higher priority first, then the run that was started first: as the engine does it. */
export function byTurn(a: Queued, b: Queued): number {
  return b.priority + b.aged - (a.priority + a.aged) || byAge(a, b);
}

function byAge(a: Queued, b: Queued): number {
  return Number(a.isBlocked) - Number(b.isBlocked) || a.startedAt.localeCompare(b.startedAt) || a.position - b.position;
}

const MAX_PRIORITY = 10;
const PRIORITIES = Array.from({ length: 2 * MAX_PRIORITY + 1 }, (_, index) => index - MAX_PRIORITY);
/** An item whose priority changes is the last one of its run with the new priority. */
const LAST = Number.MAX_SAFE_INTEGER;

/** The priorities to change, from first to last, so that queued work gets its turn in this order: only that of the moved item, if that is enough. */
export function prioritiesFor(order: readonly Queued[], moved: string): { id: string; priority: number }[] {
  const item = order.find(({ id }) => id === moved);
  if (item === undefined || isInOrder(order)) return [];
  const distance = (priority: number) => Math.abs(priority - item.priority);
  const others = PRIORITIES.filter((priority) => priority !== item.priority);
  const nearest = others.sort((a, b) => distance(a) - distance(b));
  const priority = nearest.find((each) =>
    isInOrder(order.map((other) => (other === item ? { ...item, priority: each, position: LAST } : other))),
  );
  return priority === undefined ? raisedPriorities(order) : [{ id: moved, priority }];
}

function isInOrder(items: readonly Queued[]): boolean {
  return items.every((item, index) => {
    const below = items[index + 1];
    return below === undefined || byTurn(item, below) < 0;
  });
}

/** From the last to the first, each is raised where it would not be before the next one. */
function raisedPriorities(order: readonly Queued[]): { id: string; priority: number }[] {
  const raised: Queued[] = [];
  for (const item of order.toReversed()) {
    const below = raised[0];
    const same = below === undefined ? item.priority : below.priority + below.aged - item.aged;
    const tied = { ...item, priority: same, position: LAST };
    if (below === undefined || byTurn(item, below) < 0) raised.unshift(item);
    else if (below.position === LAST && below.run === item.run) raised.unshift(tied);
    else raised.unshift(byTurn(tied, below) < 0 ? tied : { ...tied, priority: same + 1 });
  }
  const over = Math.max(0, ...raised.map(({ priority }) => priority - MAX_PRIORITY));
  return raised.flatMap(({ id, priority }, index) => {
    const to = Math.max(-MAX_PRIORITY, priority - over);
    return to === order[index]?.priority ? [] : [{ id, priority: to }];
  });
}

/** A list with one of its items before another, or at the end. */
export function movedBefore<T extends { id: string }>(items: readonly T[], moved: string, before: string | null): T[] {
  const found = items.find(({ id }) => id === moved);
  if (found === undefined || moved === before) return [...items];
  const others = items.filter(({ id }) => id !== moved);
  const at = before === null ? others.length : others.findIndex(({ id }) => id === before);
  return others.toSpliced(at < 0 ? others.length : at, 0, found);
}
