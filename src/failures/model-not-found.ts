import type { FailureRule } from './failure.ts';

/** Long enough that a person has acted; a new run or a retry by hand tries again anyway. */
const LIMIT_MS = 86_400_000;

/** The account lacks this model until a person changes something, so others continue. */
export const modelNotFound: FailureRule<'model-not-found'> = {
  kind: 'model-not-found',
  title: 'Model not found',
  follow: ({ failure, now }) => ({ action: 'switch', limitedUntil: now + LIMIT_MS, reason: failure.message }),
};
