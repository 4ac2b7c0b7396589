import type { FailureRule } from './failure.ts';

/** Money that is not there does not come back by waiting. */
export const budget: FailureRule<'budget'> = {
  kind: 'budget',
  title: 'Budget',
  follow: () => ({ action: 'fail' }),
};
