import type { Origin } from '../schema/actor.ts';

/** The role of a token: `viewer` reads, `operator` also acts; `attempt` and `host` are for programs that Manyhands starts. */
export type AccessRole = 'viewer' | 'operator' | 'attempt' | 'host';

/** The one object that a bound token is restricted to. */
type Bound =
  | { to: 'run'; run: string }
  | { to: 'attempt'; run: string; task: string; attempt: number }
  | { to: 'host'; host: string };

/** The caller: a role, and for a bound token the one run, attempt or host that it is restricted to. */
export type Identity = { role: AccessRole; bound?: Bound };

/** The properties of an operation that decide on access. */
type Guarded = {
  allow: readonly AccessRole[];
  otherRuns?(input: Record<string, unknown>): readonly unknown[];
};

/** Whether this identity may call this operation with this input: the role is listed, and a bound token is restricted to its object. */
export function mayCall({ role, bound }: Identity, { allow, otherRuns }: Guarded, input: unknown): boolean {
  if (!allow.includes(role)) return false;
  if (bound === undefined) return true;
  const fields = fieldsOf(input);
  if (bound.to === 'host') return fields.host === bound.host;
  const others = otherRuns?.(fields) ?? [];
  if (fields.run !== bound.run || others.some((run) => run !== bound.run)) return false;
  return bound.to === 'run' || isOfAttempt(bound, fields);
}

/** An input that does not name the attempt covers more than the attempt. */
function isOfAttempt(bound: { task: string; attempt: number }, fields: Record<string, unknown>): boolean {
  return fields.task === bound.task && fields.attempt === bound.attempt;
}

function fieldsOf(input: unknown): Record<string, unknown> {
  return typeof input === 'object' && input !== null ? { ...input } : {};
}

/** The identity of a caller on this machine: its user is an operator, an agent only reads. */
export function identityOf({ actor }: Origin): Identity {
  return { role: actor.kind === 'agent' ? 'viewer' : 'operator' };
}
