/** A first-in first-out queue of keys per priority, linked so that removing a key takes constant time; plain JSON. */
export type ReadyQueue = { lines: Record<string, Line>; links: Record<string, Link>; size: number };
type Line = { first: string; last: string };
type Link = { priority: number; before: string | null; after: string | null };

export function emptyQueue(): ReadyQueue {
  return { lines: {}, links: {}, size: 0 };
}

/** Appends a key to the queue of its priority. */
export function enqueue(queue: ReadyQueue, key: string, priority: number): void {
  const line = queue.lines[priority];
  queue.links[key] = { priority, before: line?.last ?? null, after: null };
  queue.size += 1;
  if (line === undefined) {
    queue.lines[priority] = { first: key, last: key };
    return;
  }
  const last = queue.links[line.last];
  if (last !== undefined) last.after = key;
  line.last = key;
}

/** Removes a key at any position; a key that is not queued changes nothing. */
export function dequeue(queue: ReadyQueue, key: string): void {
  const link = queue.links[key];
  const line = link === undefined ? undefined : queue.lines[link.priority];
  if (link === undefined || line === undefined) return;
  const before = link.before === null ? undefined : queue.links[link.before];
  const after = link.after === null ? undefined : queue.links[link.after];
  if (before !== undefined) before.after = link.after;
  if (after !== undefined) after.before = link.before;
  if (link.before === null && link.after === null) delete queue.lines[link.priority];
  if (link.before === null && link.after !== null) line.first = link.after;
  if (link.after === null && link.before !== null) line.last = link.before;
  delete queue.links[key];
  queue.size -= 1;
}

/** The keys in the order in which they should start: higher priority first, then first come, first served. */
export function* inOrder(queue: ReadyQueue): Generator<string> {
  const priorities = Object.keys(queue.lines)
    .map(Number)
    .sort((a, b) => b - a);
  for (const priority of priorities) {
    let key: string | null = queue.lines[priority]?.first ?? null;
    while (key !== null) {
      const after: string | null = queue.links[key]?.after ?? null;
      yield key;
      key = after;
    }
  }
}

/** A run that waits this long gains one step of priority: from -10 to 10 it takes ten hours. */
const AGEING_MS = 30 * 60_000;

/** The priority of a run's next task; a run without a running attempt rises with its age, so that it starts eventually. */
export function agedPriority(
  priority = Number.NEGATIVE_INFINITY,
  { startedAt, isIdle, now }: { startedAt: number; isIdle: boolean; now: number },
): number {
  return isIdle ? priority + Math.floor(Math.max(0, now - startedAt) / AGEING_MS) : priority;
}
