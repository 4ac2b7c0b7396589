import type { FailureRule } from './failure.ts';

/** The agent no longer knows the conversation that was to continue; a new one gets the whole prompt anyway, so nothing counts. */
export const sessionLost: FailureRule<'session-lost'> = {
  kind: 'session-lost',
  title: 'Session lost',
  follow: () => ({ action: 'retry', delayMs: 0, resume: false, free: true }),
};
