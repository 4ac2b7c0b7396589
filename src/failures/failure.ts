import type { Failure, FailureKind, FollowUp } from '../schema/failure.ts';

/** The input of a rule: the failure, the number of the attempt that failed (from 1), and the time. */
export interface FailureContext {
  failure: Failure;
  attempt: number;
  now: number;
}

/** One kind of failure: what people call it and what follows; pure, so that a replay decides the same. */
export interface FailureRule<Kind extends FailureKind = FailureKind> {
  readonly kind: Kind;
  readonly title: string;
  follow(context: FailureContext): FollowUp;
}

/** The reset that a provider named, or a time from now on when it named none or one that has passed. */
export function limitEnd({ failure, now }: FailureContext, limitMs: number): number {
  return failure.resetAt !== undefined && failure.resetAt > now ? failure.resetAt : now + limitMs;
}
