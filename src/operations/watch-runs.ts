import type { StreamOperation } from './operation.ts';

/** Follows all runs: each as it stands now and whenever that changes, the latest state only. */
export const watchRuns: StreamOperation<'watch-runs'> = (ports, from, signal) => ports.overviews.watch(from, signal);
