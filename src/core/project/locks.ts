import { AppError } from '../../errors.ts';
import type { FileLock, LockEvent, LockRequest } from '../../schema/coordination/lock.ts';

/** The locks of a project, the requests that wait, in the order in which they came, and what owners released before their end. */
export type LocksState = { held: FileLock[]; queue: LockRequest[]; released: Pick<FileLock, 'by' | 'path'>[] };

const MOST_LOCKS = 1_000;
const MOST_REQUESTS = 20;

export function emptyLocks(): LocksState {
  return { held: [], queue: [], released: [] };
}

/** Requests all of these paths or none; refuses a request that would close a cycle of owners that wait for each other. */
export function requestLocks(state: LocksState, request: LockRequest, now: number): LockEvent[] {
  if (holdsAll(state, request)) return [];
  if (state.held.filter(({ by }) => by === request.by).length + request.paths.length > MOST_LOCKS)
    throw new AppError('REFUSED', `More than ${MOST_LOCKS} locks of one owner are refused`);
  const waiting = state.queue.filter(({ by, until }) => by === request.by && until > now);
  if (waiting.length >= MOST_REQUESTS && !waiting.some((each) => isSameRequest(each, request)))
    throw new AppError('REFUSED', `${MOST_REQUESTS} requests of one owner already wait; release them first, or wait`);
  const event: LockEvent = { type: 'locks.requested', data: request };
  const after = evolveLocks(structuredClone(state), { event, at: now });
  const cycle = findWaitCycle(after, request.by);
  if (cycle === undefined) return [event];
  throw new AppError(
    'LOCK_DEADLOCK',
    `Waiting for these locks would never end: ${cycle.join(' waits for ')}. Release your own locks first, or work on other files`,
    { cycle },
  );
}

/** Releases locks and requests of an owner, all of them without paths; what is not held changes nothing. */
export function releaseLocks(state: LocksState, by: string, paths?: readonly string[]): LockEvent[] {
  const isAffected = (path: string) => paths === undefined || paths.some((each) => isBelow(path, each));
  const isHeld = state.held.some((lock) => lock.by === by && isAffected(lock.path));
  const isQueued = state.queue.some((request) => request.by === by && request.paths.some(isAffected));
  const isKnown = paths === undefined && state.released.some((lock) => lock.by === by);
  if (!isHeld && !isQueued && !isKnown) return [];
  return [{ type: 'locks.released', data: { by, ...(paths === undefined ? {} : { paths: [...paths] }) } }];
}

/** Removes what has expired, so that the next request of the queue gets its locks. */
export function expireLocks(state: LocksState, now: number): LockEvent[] {
  const next = nextExpiry(state);
  return next === undefined || next > now ? [] : [{ type: 'locks.expired', data: {} }];
}

/** When a lock or a place in the queue ends by itself, the earliest one. */
export function nextExpiry({ held, queue }: LocksState): number | undefined {
  const times = [...held.flatMap(({ expires }) => expires ?? []), ...queue.map(({ until }) => until)];
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Folds one event: first what has expired ends, then the event, then the queue gets what is free. */
export function evolveLocks(
  state: LocksState | undefined,
  { event, at }: { event: LockEvent; at: number },
): LocksState {
  const next = state ?? emptyLocks();
  next.held = next.held.filter(({ expires }) => expires === null || expires > at);
  next.queue = next.queue.filter(({ until }) => until > at);
  switch (event.type) {
    case 'locks.requested':
      enqueue(next, event.data);
      break;
    case 'locks.released': {
      const { by, paths } = event.data;
      const isReleased = (path: string) => paths === undefined || paths.some((each) => isBelow(path, each));
      const isAffected = (lock: FileLock) => lock.by === by && isReleased(lock.path);
      next.released = releasedAfter(next, { by, isEnd: paths === undefined, locks: next.held.filter(isAffected) });
      next.held = next.held.filter((lock) => !isAffected(lock));
      next.queue = next.queue.filter((request) => request.by !== by || !request.paths.some(isReleased));
      break;
    }
    case 'locks.expired':
      break;
  }
  grant(next, at);
  return next;
}

/** Which of these paths an owner neither has locked nor had locked before. */
export function neverLocked({ held, released }: LocksState, by: string, paths: readonly string[]): string[] {
  const known = [...held, ...released].filter((lock) => lock.by === by);
  return paths.filter((path) => !known.some((lock) => isBelow(path, lock.path)));
}

/** Whether an owner has all locks that it requested. */
export function holdsAll({ held }: LocksState, { by, paths }: Pick<LockRequest, 'by' | 'paths'>): boolean {
  return paths.every((path) => held.some((lock) => lock.by === by && isBelow(path, lock.path)));
}

/** The locks of others that cover one of these paths, or something in them. */
export function locksOfOthers({ held }: LocksState, { by, paths }: Pick<LockRequest, 'by' | 'paths'>): FileLock[] {
  return held.filter((lock) => lock.by !== by && paths.some((path) => overlap(path, lock.path)));
}

/** An owner that releases everything has ended, and is forgotten; else what it released is remembered, each path once. */
function releasedAfter(
  { released }: LocksState,
  { by, isEnd, locks }: { by: string; isEnd: boolean; locks: readonly FileLock[] },
): LocksState['released'] {
  if (isEnd) return released.filter((lock) => lock.by !== by);
  const own = released.filter((lock) => lock.by === by);
  const added = locks.filter(({ path }) => !own.some((lock) => lock.path === path)).map(({ path }) => ({ by, path }));
  return [...released, ...added.slice(0, MOST_LOCKS - own.length)];
}

/** A request that is repeated keeps its place. */
function enqueue(state: LocksState, request: LockRequest): void {
  const known = state.queue.find((each) => isSameRequest(each, request));
  if (known === undefined) state.queue.push({ ...request });
  else known.until = request.until;
}

function isSameRequest(a: LockRequest, b: LockRequest): boolean {
  return a.by === b.by && a.paths.join('\0') === b.paths.join('\0');
}

/** In order: a request gets its locks when nobody else holds them and no earlier request waits for them. */
function grant(state: LocksState, at: number): void {
  const waiting: LockRequest[] = [];
  for (const request of state.queue) {
    const { by, paths, reason, expires = null } = request;
    const isFree = locksOfOthers(state, request).length === 0 && !waiting.some((earlier) => isBefore(earlier, request));
    if (!isFree) {
      waiting.push(request);
      continue;
    }
    state.held = state.held.filter((lock) => lock.by !== by || !paths.includes(lock.path));
    for (const path of paths) state.held.push({ path, by, reason, since: at, expires });
  }
  state.queue = waiting;
}

function isBefore(earlier: LockRequest, request: LockRequest): boolean {
  return earlier.by !== request.by && earlier.paths.some((a) => request.paths.some((b) => overlap(a, b)));
}

/** The owners that wait for each other, beginning and ending with this one; undefined where it does not wait for itself. */
function findWaitCycle(state: LocksState, start: string): string[] | undefined {
  const visited = new Set<string>();
  const visit = (owner: string, path: readonly string[]): string[] | undefined => {
    for (const next of awaitedBy(state, owner)) {
      if (next === start) return [...path, start];
      if (visited.has(next)) continue;
      visited.add(next);
      const cycle = visit(next, [...path, next]);
      if (cycle !== undefined) return cycle;
    }
    return undefined;
  };
  return visit(start, [start]);
}

/** The owners that must release something before the requests of this owner are granted. */
function awaitedBy(state: LocksState, owner: string): string[] {
  const found = state.queue.flatMap((request, index) => {
    if (request.by !== owner) return [];
    const earlier = state.queue.slice(0, index).filter((each) => isBefore(each, request));
    return [...locksOfOthers(state, request), ...earlier].map(({ by }) => by);
  });
  return [...new Set(found)];
}

function overlap(a: string, b: string): boolean {
  return isBelow(a, b) || isBelow(b, a);
}

/** Whether a path is the folder, or in it; the empty path is the whole repository. */
function isBelow(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}
