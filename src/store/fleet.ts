import { z } from 'zod';

/** Raised by each release that changes orders, reports or commands; leader and host may differ by one. */
export const HOSTS_RELEASE = 1;

/** Whether a leader and a host of these releases understand each other. */
export function isReleaseAccepted(one: number, other: number): boolean {
  return Math.abs(one - other) <= 1;
}

/** The name of a host: it is part of the name of its queue. */
export const HostName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be 1 to 40 small letters, digits or dashes, and not begin with a dash');

/** What a host says about itself when it registers; `instance` is one process of it. */
export const HostRegistration = z.object({
  name: HostName,
  instance: z.string().regex(/^[0-9a-f-]{36}$/),
  slots: z.number().int().min(1).max(1_000),
  checks: z.number().int().min(0).max(64).default(0).describe('How many checks it runs at once, besides attempts.'),
  agents: z.array(z.string()).describe('The kinds and names of agents that it can run.'),
  labels: z.array(z.string()),
  memoryBytes: z.number(),
  diskBytes: z.number(),
  version: z.string(),
  machine: z.string().describe('The name of the machine, and the folder of its data.'),
  sealKey: z.string().optional().describe('The public key of this process, for secrets.'),
  release: z.number().int().default(1).describe('The release of its orders and reports.'),
});
export type HostRegistration = z.infer<typeof HostRegistration>;

/** What a host wrote as JSON; undefined if it is none, because the login of a host can write any text into its own rows. */
export function parseHostText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a host can be ordered to perform. */
type OrderKind = 'attempt' | 'check';

/** How many more orders of each kind a host accepts. */
export type OrderLimits = Record<OrderKind, number>;

/** An order to one process of a host, written in the transaction of the event that causes it; `id` is the attempt or the check. */
export type HostOrder = { id: string; kind: OrderKind; host: string; instance: string; body: string };

/** A host as it is registered; `instance` is null after its lease was lost or ended. */
export type FleetHost = Omit<HostRegistration, 'instance'> & {
  instance: string | null;
  isDraining: boolean;
  registeredAt: number;
  expiresInMs: number;
};

/** What a host reported about an order; after `lost` nothing follows, and nothing of that process is accepted any more. */
export type FollowedReport = { kind: 'report'; sequence: number; body: unknown } | { kind: 'lost'; reason: string };

/** The hosts of an installation as its leader sees them. */
export interface Fleet extends AsyncDisposable {
  /** Every registered host, by name. */
  readonly hosts: readonly FleetHost[];
  /** Calls the listener when a host registers, drains, or is lost; returns the function that unsubscribes. */
  onChange(listener: () => void): () => void;
  /** The reports of an order from the first that is not acknowledged; ends when the signal aborts, or another server leads. */
  follow(order: string, signal: AbortSignal): AsyncGenerator<FollowedReport>;
  /** Takes back an order that its host has not accepted yet, which then is lost; changes nothing if it has. */
  withdraw(order: string): Promise<void>;
  /** Forgets the reports up to this one, whose consequences are committed, soon: until then the next leader would read them again. */
  acknowledge(order: string, sequence: number): void;
  /** Sends a command about an order to the process that has it; while the database does not answer this waits, as for the two below. */
  send(order: string, command: unknown): Promise<void>;
  /** Forgets an order whose end is recorded. One that was not accepted yet never is. */
  remove(order: string): Promise<void>;
  /** Forgets an order, and tells the process that has it to stop. */
  cancel(order: string, reason: string): Promise<void>;
}
