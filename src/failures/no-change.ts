import type { FailureRule } from './failure.ts';

/** A claim to be done does not count: the next prompt says that nothing had changed. */
export const noChange: FailureRule<'no-change'> = {
  kind: 'no-change',
  title: 'Nothing changed',
  follow: () => ({ action: 'retry', delayMs: 0, resume: false, free: false }),
};
