import type { FailureRule } from './failure.ts';

/** The evidence names the failing tests, which is what the next attempt needs. */
export const tests: FailureRule<'tests'> = {
  kind: 'tests',
  title: 'Checks failed',
  follow: () => ({ action: 'retry', delayMs: 0, resume: false, free: false }),
};
