import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Large enough that short-lived objects are never promoted, small enough that a collection takes a millisecond. */
const YOUNG_BYTES = 8 * 1024 * 1024;

/**
 * For a process that runs for days next to many agents. Limits the young generation, which under load would grow
 * permanently to several times that size and make collections slow; and collects it with one thread, because waiting
 * for helper threads takes longer than they save when agents keep all processors busy.
 */
export function spareMemory(): void {
  setFlagsFromString('--no-parallel-scavenge');
  let grows: boolean | undefined;
  const adjust = () => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    const mayGrow = young !== undefined && young.space_size < YOUNG_BYTES;
    if (mayGrow !== grows) setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
    grows = mayGrow;
  };
  adjust();
  new PerformanceObserver(adjust).observe({ entryTypes: ['gc'] });
}
