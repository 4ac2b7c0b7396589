import type { FailureRule } from './failure.ts';

/** The evidence names what did not hold, which is what the next attempt needs. */
export const verification: FailureRule<'verification'> = {
  kind: 'verification',
  title: 'Verification failed',
  follow: () => ({ action: 'retry', delayMs: 0, resume: false, free: false }),
};
