import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Large enough that what is short-lived dies young, small enough that clearing it takes a millisecond. */
const YOUNG_BYTES = 8 * 1024 * 1024;

/**
 * For a process that lives for days beside many agents. The space for young objects stops growing at a bound: under load it
 * would grow to several times that, for good, and everybody would wait while it is cleared. And it is cleared by one thread:
 * where agents keep all processors busy, helpers are waited for longer than they help.
 */
export function spareMemory(): void {
  setFlagsFromString('--no-parallel-scavenge');
  let grows: boolean | undefined;
  const steer = () => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    const mayGrow = young !== undefined && young.space_size < YOUNG_BYTES;
    if (mayGrow !== grows) setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
    grows = mayGrow;
  };
  steer();
  new PerformanceObserver(steer).observe({ entryTypes: ['gc'] });
}
