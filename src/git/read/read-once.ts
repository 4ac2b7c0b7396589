import type { Mirror } from '../mirror/mirror-config.ts';

/** Results of reading commits, by mirror and ids; the oldest is dropped first. */
export type ReadCache<Result> = Map<string, Promise<Result>>;

type Reading<Result> = {
  mirror: Pick<Mirror, 'dir'>;
  /** The ids of the commits that are read; any other revision may name something else later, and is not kept. */
  commits: readonly string[];
  read: () => Promise<Result>;
  /** The number of entries in the result. */
  sizeOf: (result: Result) => number;
};

const MOST_RESULTS = 64;
/** A larger result is not kept. */
const MOST_ENTRIES = 10_000;
const FULL_ID = /^[0-9a-f]{40,64}$/;

/** Commits never change, so all readers of the same ones share one result. */
export function readOnce<Result>(
  cache: ReadCache<Result>,
  { mirror, commits, read, sizeOf }: Reading<Result>,
  most = MOST_RESULTS,
): Promise<Result> {
  if (!commits.every((commit) => FULL_ID.test(commit))) return read();
  const key = `${commits.join(' ')} ${mirror.dir}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const pending = read();
  cache.set(key, pending);
  for (const oldest of cache.keys()) {
    if (cache.size <= most) break;
    cache.delete(oldest);
  }
  const evict = () => cache.delete(key);
  pending.then((result) => sizeOf(result) > MOST_ENTRIES && evict(), evict);
  return pending;
}
