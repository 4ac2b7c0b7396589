import type { FailureRule } from './failure.ts';

/** Restarts and reboots are rare; an attempt that is killed so often has a cause of its own and must end. */
const MAX_FREE_ATTEMPTS = 5;

/** Being stopped from outside is not the task's fault: continue at once and count nothing. */
export const interrupted: FailureRule<'interrupted'> = {
  kind: 'interrupted',
  title: 'Interrupted',
  follow: ({ attempt }) => ({ action: 'retry', delayMs: 0, resume: true, free: attempt <= MAX_FREE_ATTEMPTS }),
};
