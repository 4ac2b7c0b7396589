import type { FailureRule } from './failure.ts';

/** Long enough that a person has acted; a new run or a retry by hand tries again anyway. */
const LIMIT_MS = 86_400_000;

/** Only a person can log in again, so the account is not used for a day and others continue. */
export const auth: FailureRule<'auth'> = {
  kind: 'auth',
  title: 'Login refused',
  follow: ({ failure, now }) => ({ action: 'switch', limitedUntil: now + LIMIT_MS, reason: failure.message }),
};
