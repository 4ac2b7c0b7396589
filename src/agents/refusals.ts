import type { FailureKind } from '../schema/failure.ts';

/** Failures that say of a first request that no model has worked on it. */
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
