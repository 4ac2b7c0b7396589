import type { FailureRule } from './failure.ts';

/** The evidence names what is red, which is what the next attempt needs. */
export const tests: FailureRule<'tests'> = {
  kind: 'tests',
  title: 'Checks failed',
  follow: () => ({ action: 'retry', delayMs: 0, resume: false, free: false }),
};
