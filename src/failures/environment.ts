import type { FailureRule } from './failure.ts';

/** A missing program or broken set-up stays so until a person fixes it; retries would only cost money. */
export const environment: FailureRule<'environment'> = {
  kind: 'environment',
  title: 'Environment',
  follow: ({ failure }) => ({ action: 'block', reason: failure.message }),
};
