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

const BY_STATUS: ReadonlyMap<number, FailureKind> = new Map([
  [401, 'auth'],
  [402, 'billing'],
  [403, 'auth'],
  [404, 'model-not-found'],
  [408, 'network'],
  [413, 'context-full'],
  [429, 'rate-limit'],
]);

/** The failure for an HTTP status of a model service; undefined for ambiguous statuses. */
export function statusFailure(status: number): FailureKind | undefined {
  return BY_STATUS.get(status) ?? (status >= 500 ? 'overloaded' : undefined);
}
