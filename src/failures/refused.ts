import type { FailureRule } from './failure.ts';

/** The agent or its provider declines the task as worded; the same prompt would be declined again. */
export const refused: FailureRule<'refused'> = {
  kind: 'refused',
  title: 'Refused',
  follow: ({ failure }) => ({ action: 'block', reason: failure.message }),
};
