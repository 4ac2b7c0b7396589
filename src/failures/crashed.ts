import type { FailureRule } from './failure.ts';

/** A crashed program proves nothing about the task, so it is tried once more. */
export const crashed: FailureRule<'crashed'> = {
  kind: 'crashed',
  title: 'Crashed',
  follow: () => ({ action: 'retry', delayMs: 0, resume: false, free: false }),
};
