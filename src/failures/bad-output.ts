import type { FailureRule } from './failure.ts';

/** The next attempt is shown what was wrong with the form of the result. */
export const badOutput: FailureRule<'bad-output'> = {
  kind: 'bad-output',
  title: 'Unreadable result',
  follow: () => ({ action: 'retry', delayMs: 0, resume: false, free: false }),
};
