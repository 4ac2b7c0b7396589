import { type FailureRule, limitEnd } from './failure.ts';

/** Quotas reset after hours; without a named time one question an hour is enough. */
const LIMIT_MS = 3_600_000;

/** A quota is used up until its reset: earlier requests only waste calls, so the account is not used until then. */
export const usageLimit: FailureRule<'usage-limit'> = {
  kind: 'usage-limit',
  title: 'Usage limit',
  follow: (context) => ({
    action: 'switch',
    limitedUntil: limitEnd(context, LIMIT_MS),
    reason: context.failure.message,
  }),
};
