import type { Origin } from '../schema/actor.ts';

/** The role of a token: `guest` reads the runs that were shared with them, `viewer` reads, `operator` also acts; `attempt` and `host` are for programs that Manyhands starts. */
export type AccessRole = 'guest' | 'viewer' | 'operator' | 'attempt' | 'host';

/** The objects that a bound token is restricted to. */
type Bound =
  | { to: 'runs'; runs: readonly string[] }
  | { to: 'attempt'; run: string; task: string; attempt: number }
  | { to: 'host'; host: string };

/** The caller: a role, and for a bound token the runs, the attempt or the host that it is restricted to. */
export type Identity = { role: AccessRole; bound?: Bound };

/** The properties of an operation that decide on access. */
type Guarded = {
  allow: readonly AccessRole[];
  otherRuns?(input: Record<string, unknown>): readonly unknown[];
};

/** Roles that need not be bound to an object. */
const UNBOUND: readonly AccessRole[] = ['viewer', 'operator'];

/** The roles on this machine: its user, and the assistant and the engine that act for them, are operators; an agent only reads. */
const LOCAL_ROLES: Readonly<Record<Origin['actor']['kind'], AccessRole>> = {
  person: 'operator',
  assistant: 'operator',
  engine: 'operator',
  agent: 'viewer',
};

/** Whether this identity may call this operation with this input: the role is listed, and a bound token is restricted to its object. */
export function mayCall({ role, bound }: Identity, { allow, otherRuns }: Guarded, input: unknown): boolean {
  if (!allow.includes(role)) return false;
  if (bound === undefined) return UNBOUND.includes(role);
  const fields = fieldsOf(input);
  if (bound.to === 'host') return fields.host === bound.host;
  const runs: readonly unknown[] = bound.to === 'runs' ? bound.runs : [bound.run];
  const named = [fields.run, ...(otherRuns?.(fields) ?? [])];
  if (!named.every((run) => runs.includes(run))) return false;
  // A folder could select the project of another run.
  return bound.to === 'runs' ? fields.dir === undefined : isOfAttempt(bound, fields);
}

/** An input that does not name the attempt covers more than the attempt. */
function isOfAttempt(bound: { task: string; attempt: number }, fields: Record<string, unknown>): boolean {
  return fields.task === bound.task && fields.attempt === bound.attempt;
}

function fieldsOf(input: unknown): Record<string, unknown> {
  return typeof input === 'object' && input !== null ? { ...input } : {};
}

/** Whether a call comes from a guest, who sees of a run neither its settings nor paths of the machine; over HTTP a person has the name of their role. */
export function isGuest({ actor, via }: Origin): boolean {
  return via === 'http' && actor.kind === 'person' && actor.name === 'guest';
}

/** The identity of a caller on this machine. */
export function identityOf({ actor }: Origin): Identity {
  return { role: LOCAL_ROLES[actor.kind] };
}
