import type { FailureRule } from './failure.ts';

/** It used all its time once; a fresh start with the evidence may need less time. */
export const timeout: FailureRule<'timeout'> = {
  kind: 'timeout',
  title: 'Out of time',
  follow: () => ({ action: 'retry', delayMs: 0, resume: false, free: false }),
};
