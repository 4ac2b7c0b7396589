import type { FailureRule } from './failure.ts';

const FIRST_DELAY_MS = 30_000;
const LONGEST_DELAY_MS = 600_000;

/** The provider is overloaded: wait longer each time, so that we do not add to it. */
export const overloaded: FailureRule<'overloaded'> = {
  kind: 'overloaded',
  title: 'Provider overloaded',
  follow: ({ attempt }) => ({
    action: 'retry',
    delayMs: Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS),
    resume: false,
    free: false,
  }),
};
