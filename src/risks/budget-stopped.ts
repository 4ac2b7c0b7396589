import type { Risk } from './risk.ts';

export const budgetStopped: Risk = {
  name: 'budget-stopped',
  title: 'Stopped at its budget',
  severity: 'medium',
  find: ({ stoppedBy }) =>
    stoppedBy === 'budget' ? 'it was stopped at its budget, so its work may be half done' : undefined,
};
