import type { FailureRule } from './failure.ts';

/** An unknown failure is retried, within the cap; it never passes and never counts as an end. */
export const unknown: FailureRule<'unknown'> = {
  kind: 'unknown',
  title: 'Unknown',
  follow: () => ({ action: 'retry', delayMs: 0, resume: false, free: false }),
};
