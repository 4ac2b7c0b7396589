import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { collectGarbage } from './collect-garbage.ts';
import { SERVER_OPTIONS, USUAL_OPTIONS } from './server-options.ts';

/** Large enough that short-lived objects are never promoted, small enough that a collection takes a millisecond. */
const YOUNG_BYTES = 8 * 1024 * 1024;
/** Pages that are being released are counted too, and those that are not yet used are not. */
const NEARLY = 0.75;

/** Makes this process spare memory for the agents beside it; `isServer`: it began with the options of one. */
export function spareMemory({ isServer }: { isServer: boolean }): void {
  SERVER_OPTIONS.forEach((option) => void setFlagsFromString(option));
  // V8 rejects compiled code that was kept with other options than those of the next start.
  if (!isServer)
    process.prependListener('exit', () => USUAL_OPTIONS.forEach((option) => void setFlagsFromString(option)));
  const observer = new PerformanceObserver((list) => {
    if (list.getEntries().some(isOfV8)) growYoung();
  });
  observer.observe({ entryTypes: ['gc'] });
}

/**
 * Lets the young generation grow one step, in a collection of our own. If V8 might grow it in its own ones, a long
 * computation, during which nobody observes them, would let it grow to its limit.
 */
function growYoung(): void {
  if (youngBytes() >= YOUNG_BYTES * NEARLY) return;
  setFlagsFromString('--semi-space-growth-factor=2');
  collectGarbage({ type: 'minor' });
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** The size of the young generation of this process. */
export function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
}

/** Whether V8 itself began a collection. */
function isOfV8(entry: PerformanceEntry): boolean {
  // The types of Node have no entry of a collection.
  const { detail } = entry as PerformanceEntry & { detail: { flags: number } };
  return (detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) === 0;
}
