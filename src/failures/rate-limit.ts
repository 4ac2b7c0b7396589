import { type FailureRule, limitEnd } from './failure.ts';

/** Rate limits count per minute; a provider that names no time is called again after one. */
const LIMIT_MS = 60_000;

/** The provider refuses for a short time only, so another agent continues, and this one is not used until then. */
export const rateLimit: FailureRule<'rate-limit'> = {
  kind: 'rate-limit',
  title: 'Rate limit',
  follow: (context) => ({
    action: 'switch',
    limitedUntil: limitEnd(context, LIMIT_MS),
    reason: context.failure.message,
  }),
};
