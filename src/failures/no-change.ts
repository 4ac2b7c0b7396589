import type { FailureRule } from './failure.ts';

/** Saying done counts for nothing: the next attempt is told that nothing had changed. */
export const noChange: FailureRule<'no-change'> = {
  kind: 'no-change',
  title: 'Nothing changed',
  follow: () => ({ action: 'retry', delayMs: 0, resume: false, free: false }),
};
