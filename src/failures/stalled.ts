import type { FailureRule } from './failure.ts';

/** It stopped producing output: the conversation is worth keeping. */
export const stalled: FailureRule<'stalled'> = {
  kind: 'stalled',
  title: 'Stalled',
  follow: () => ({ action: 'retry', delayMs: 0, resume: true, free: false }),
};
