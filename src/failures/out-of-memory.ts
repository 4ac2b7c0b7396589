import type { FailureRule } from './failure.ts';

const DELAY_MS = 30_000;

/** Memory is freed by other work ending, so wait before retrying. */
export const outOfMemory: FailureRule<'out-of-memory'> = {
  kind: 'out-of-memory',
  title: 'Out of memory',
  follow: () => ({ action: 'retry', delayMs: DELAY_MS, resume: false, free: false }),
};
