import type { FailureRule } from './failure.ts';

/** The agent no longer knows the conversation that was to go on; a new one is told everything anyway, so nothing counts. */
export const sessionLost: FailureRule<'session-lost'> = {
  kind: 'session-lost',
  title: 'Session lost',
  follow: () => ({ action: 'retry', delayMs: 0, resume: false, free: true }),
};
