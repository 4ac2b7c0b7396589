import type { FailureKind } from '../schema/failure.ts';

/** Failures of a first request that imply that no model processed it. */
export const REFUSALS: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'rate-limit',
  'usage-limit',
  'overloaded',
  'auth',
  'billing',
  'model-not-found',
  'context-full',
  'session-lost',
]);
