import type { FailureRule } from './failure.ts';

const DELAY_MS = 30_000;

/** Something outside ended it, often because of too little memory: wait a little so that the cause can pass. */
export const killed: FailureRule<'killed'> = {
  kind: 'killed',
  title: 'Killed',
  follow: () => ({ action: 'retry', delayMs: DELAY_MS, resume: false, free: false }),
};
