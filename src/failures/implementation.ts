import type { FailureRule } from './failure.ts';

/** The agent itself gave up; the next attempt is shown why. */
export const implementation: FailureRule<'implementation'> = {
  kind: 'implementation',
  title: 'Not implemented',
  follow: () => ({ action: 'retry', delayMs: 0, resume: false, free: false }),
};
