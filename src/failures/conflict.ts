import type { FailureRule } from './failure.ts';

/** The resolver has already had its attempts at this merge, so nothing is left to try. */
export const conflict: FailureRule<'conflict'> = {
  kind: 'conflict',
  title: 'Conflict',
  follow: () => ({ action: 'fail' }),
};
