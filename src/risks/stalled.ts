import type { Risk } from './risk.ts';

/** It had to be stopped because it was silent or took too long. */
export const stalled: Risk = {
  name: 'stalled',
  title: 'Stalled',
  severity: 'medium',
  find: ({ stoppedBy }) =>
    stoppedBy === 'stalled' || stoppedBy === 'timeout' ? 'it had to be stopped at its time limit' : undefined,
};
