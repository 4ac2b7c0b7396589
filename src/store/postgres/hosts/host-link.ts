import type { ClientBase } from 'pg';
import { AppError } from '../../../errors.ts';
import type { World } from '../../../world.ts';
import { type HostOrder, type HostRegistration, isReleaseAccepted, type OrderLimits } from '../../fleet.ts';
import { Connection, RENEWAL_TIMEOUTS } from '../connection.ts';
import { readOwnHost } from './host-roles.ts';
import { endHost, type Lease, registerHost, renewHost } from './host-rows.ts';
import {
  acceptOrders,
  insertReports,
  ORDERS_CHANNEL,
  type Report,
  readCommands,
  readHeld,
  readUnknown,
} from './order-rows.ts';

/** A command of the leader about an order that this process has. */
type HostCommand = { id: string; body: unknown };

/** What is new for a host. */
type Inbox = { orders: HostOrder[]; commands: HostCommand[] };

/** How long an order remains unseen whose notification, or acceptance, was lost without the connection. */
const SAFETY_MS = 30_000;

/** The number of remembered orders from which ended ones are forgotten. */
const FEW_ORDERS = 1_000;

/** Clocks that differ by less are alike: an answer may take as long. */
const CLOCK_SLACK_MS = 2_000;

/** The connection of a host to the database of its installation: its lease, its orders, and its reports. */
export class HostLink implements AsyncDisposable {
  readonly #registration: HostRegistration;
  readonly #world: World;
  /** Renewals have a connection of their own, so that they never wait for anything else. */
  readonly #renewals: Connection;
  readonly #orders: Connection;
  readonly #reports: Connection;
  #clockOffsetMs = 0;
  #lastCommand = 0;
  /** The orders that this process has; ended ones are forgotten when there are many. */
  #received = new Set<string>();
  #mostReceived = FEW_ORDERS;
  #listening: ClientBase | undefined;
  /** When it last read which orders this process has. */
  #heldReadAt = Number.NEGATIVE_INFINITY;
  /** Whether there may be something that was not received yet. */
  #isNew = true;
  #endPause = () => {};

  constructor(url: string, registration: HostRegistration, world: World) {
    this.#registration = registration;
    this.#world = world;
    this.#renewals = new Connection(url, RENEWAL_TIMEOUTS);
    this.#orders = new Connection(url);
    this.#reports = new Connection(url);
    this.#orders.onLost(() => this.wake());
  }

  /** What must be added to the clock of this machine to get that of the database. */
  get clockOffsetMs(): number {
    return this.#clockOffsetMs;
  }

  /** Registers; refused while another process has the name. */
  async register(previous: readonly string[]): Promise<Lease> {
    const { name } = this.#registration;
    const lease = await this.#onRenewals(async (client) => {
      await requireTables(client, this.#renewals.database);
      await requireName(client, name);
      await requireRelease(client, this.#registration);
      return registerHost(client, this.#registration, previous);
    });
    if (lease !== undefined) return lease;
    throw new AppError('HOST_TAKEN', `Another process is the host ${name}`, { name });
  }

  /** Whether this connection has only the rights of this host; otherwise those of a server. */
  async isRestricted(): Promise<boolean> {
    return (await this.#renewals.use(readOwnHost)) === this.#registration.name;
  }

  /** Extends the lease; undefined if it is lost for good. Throws where the database does not answer. */
  async renew(): Promise<Lease | undefined> {
    return this.#onRenewals((client) => renewHost(client, this.#registration));
  }

  async #onRenewals(work: (client: ClientBase) => Promise<Lease | undefined>): Promise<Lease | undefined> {
    const lease = await this.#renewals.use(work);
    if (lease !== undefined) {
      const offsetMs = Math.round(lease.nowMs) - this.#world.now();
      this.#clockOffsetMs = Math.abs(offsetMs) < CLOCK_SLACK_MS ? 0 : offsetMs;
    }
    return lease;
  }

  /** Waits for something new, accepts at most that many orders of each kind as there is room for then, and reads commands. */
  async receive(most: () => OrderLimits, signal: AbortSignal): Promise<Inbox> {
    if (!this.#isNew) await this.#pause(signal);
    if (signal.aborted) return { orders: [], commands: [] };
    this.#isNew = false;
    try {
      return await this.#receiveNow(most());
    } catch (error) {
      this.#isNew = true;
      // What was accepted, and not received, is received when it begins again.
      this.#listening = undefined;
      throw error;
    }
  }

  /** Lets `receive` look again: there may be something new, or more orders can be accepted. */
  wake(): void {
    this.#isNew = true;
    this.#endPause();
  }

  /** Adds reports; false if the lease is lost, and then none is added. */
  async report(reports: readonly Report[]): Promise<boolean> {
    const { name, instance } = this.#registration;
    return this.#reports.use((client) => insertReports(client, { host: name, instance }, reports));
  }

  /** Ends the lease, so that the leader need not wait for it. */
  async end(): Promise<void> {
    await this.#renewals.use((client) => endHost(client, this.#registration));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.wake();
    for (const connection of [this.#renewals, this.#orders, this.#reports]) await connection[Symbol.asyncDispose]();
  }

  async #receiveNow(most: OrderLimits): Promise<Inbox> {
    const { name, instance } = this.#registration;
    return this.#orders.use(async (client) => {
      if (this.#listening !== client) {
        client.on('notification', ({ payload }) => {
          if (payload === name) this.wake();
        });
        await client.query(`LISTEN ${ORDERS_CHANNEL}`);
        this.#heldReadAt = Number.NEGATIVE_INFINITY;
        this.#listening = client;
      }
      // Again and again: the database may execute an acceptance only after its connection was given up.
      if (performance.now() - this.#heldReadAt >= SAFETY_MS) {
        const unknown = await readUnknown(client, instance, [...this.#received]);
        this.#heldReadAt = performance.now();
        if (unknown.length > 0) return this.#deliver(unknown);
      }
      const isFree = most.attempt > 0 || most.check > 0;
      const orders = isFree ? await acceptOrders(client, { instance, most }) : [];
      if (orders.length > 0) return this.#deliver(orders);
      if (this.#received.size > this.#mostReceived) await this.#forgetEnded(client);
      const found = await readCommands(client, { instance, after: this.#lastCommand });
      this.#lastCommand = found.at(-1)?.sequence ?? this.#lastCommand;
      return { commands: found, orders };
    });
  }

  /** Commands are read by the next call, so that orders are not kept waiting. */
  #deliver(orders: HostOrder[]): Inbox {
    for (const { id } of orders) this.#received.add(id);
    this.#isNew = true;
    return { orders, commands: [] };
  }

  async #forgetEnded(client: ClientBase): Promise<void> {
    const held = new Set(await readHeld(client, this.#registration.instance));
    this.#received = new Set([...this.#received].filter((id) => held.has(id)));
    this.#mostReceived = FEW_ORDERS + 2 * this.#received.size;
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.#endPause = () => woken.abort();
    // Safe: the pause ends by a notification, by the signal, or by its time.
    await this.#world.sleep(SAFETY_MS, AbortSignal.any([signal, woken.signal])).catch(() => {});
    this.#endPause = () => {};
  }
}

/** A login of one host is not one of another. */
async function requireName(client: ClientBase, name: string): Promise<void> {
  const own = await readOwnHost(client);
  if (own === undefined || own === name) return;
  throw new AppError('DATABASE_REFUSED', `The login of this URL is the host ${own}, and not ${name}`);
}

/** A host and a leader that differ by more than one release do not understand each other. */
async function requireRelease(client: ClientBase, { name, version, release }: HostRegistration): Promise<void> {
  const { rows } = await client.query<{ release: number }>('SELECT manyhands.leader_release() AS release');
  const leader = rows[0]?.release ?? release;
  if (isReleaseAccepted(leader, release)) return;
  const what = leader > release ? 'newer than this program' : 'older than this program';
  const message = `The server is ${leader > release ? leader - release : release - leader} releases ${what} (${version}), and one is allowed`;
  throw new AppError('HOST_RELEASE', message, { name, leader, host: release });
}

/** A host changes no tables: a server creates and migrates them. */
async function requireTables(client: ClientBase, database: string): Promise<void> {
  const { rows } = await client.query("SELECT to_regproc('manyhands.leader_release') IS NOT NULL AS present");
  if (rows[0]?.present === true) return;
  const message = `No server of this version has opened ${database} yet: start one with manyhands serve, then the host`;
  throw new AppError('DATABASE_REFUSED', message);
}
