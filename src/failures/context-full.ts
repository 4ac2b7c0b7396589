import type { FailureRule } from './failure.ts';

/** The conversation itself is the problem, so the next attempt begins a new one. */
export const contextFull: FailureRule<'context-full'> = {
  kind: 'context-full',
  title: 'Context full',
  follow: () => ({ action: 'retry', delayMs: 0, resume: false, free: false }),
};
