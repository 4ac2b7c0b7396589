import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Large enough that what is short-lived dies young. */
const YOUNG_BYTES = 32 * 1024 * 1024;

/**
 * For a process that lives for days beside many agents: the space for young objects stops growing at a bound. It would grow to
 * several times that under load, for good, and all that piles up there with it.
 */
export function spareMemory(): void {
  setFlagsFromString('--no-parallel-scavenge');
  new PerformanceObserver((_, observer) => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    if (young === undefined || young.space_size < YOUNG_BYTES) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  }).observe({ entryTypes: ['gc'] });
}
