import { type FailureRule, restUntil } from './failure.ts';

/** Quotas reset after hours; without a named time one question an hour is enough. */
const REST_MS = 3_600_000;

/** A quota is used up until its reset: earlier requests only waste calls, so the account is not used until then. */
export const usageLimit: FailureRule<'usage-limit'> = {
  kind: 'usage-limit',
  title: 'Usage limit',
  follow: (context) => ({
    action: 'switch',
    restUntil: restUntil(context, REST_MS),
    reason: context.failure.message,
  }),
};
