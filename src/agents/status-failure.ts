import type { FailureKind } from '../schema/failure.ts';

const BY_STATUS: ReadonlyMap<number, FailureKind> = new Map([
  [401, 'auth'],
  [402, 'billing'],
  [403, 'auth'],
  [404, 'model-not-found'],
  [408, 'network'],
  [413, 'context-full'],
  [429, 'rate-limit'],
]);

/** What a service means by the HTTP status that it refuses with; nothing where a status stands for too many things. */
export function statusFailure(status: number): FailureKind | undefined {
  return BY_STATUS.get(status) ?? (status >= 500 ? 'overloaded' : undefined);
}
