import type { FailureRule } from './failure.ts';

/** What nobody understands is tried again, within the cap; it never passes and never counts as an end. */
export const unknown: FailureRule<'unknown'> = {
  kind: 'unknown',
  title: 'Unknown',
  follow: () => ({ action: 'retry', delayMs: 0, resume: false, free: false }),
};
