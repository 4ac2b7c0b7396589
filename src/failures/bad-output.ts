import type { FailureRule } from './failure.ts';

/** One more turn of the same session repairs the form of the result; without a session the next attempt is shown what was wrong. */
export const badOutput: FailureRule<'bad-output'> = {
  kind: 'bad-output',
  title: 'Unreadable result',
  follow: () => ({ action: 'retry', delayMs: 0, resume: true, free: false }),
};
