import type { ClientBase } from 'pg';
import type { World } from '../../../world.ts';
import type { Fleet, FleetHost, FollowedReport } from '../../fleet.ts';
import type { Connection } from '../connection.ts';
import { NotifiedReading } from '../notified-reading.ts';
import { isOutage } from '../postgres-error.ts';
import { FollowedOrder } from './followed-order.ts';
import { fenceExpired, HOSTS_CHANNEL, readHosts, readLeases } from './host-rows.ts';
import {
  cancelChecksBefore,
  cancelOrder,
  insertCommand,
  REPORTS_CHANNEL,
  readHolders,
  readReports,
  removeForgottenReports,
  removeLostCommands,
  removeOrder,
  removeReports,
  withdrawFromDraining,
  withdrawOrder,
} from './order-rows.ts';

type Parts = { connection: Connection; world: World; epoch(): number | undefined };

/** After a lease has ended by the clock of the database, by which this process only estimates. */
const AFTER_LEASE_MS = 100;
/** The pauses before a command is sent again to a database that does not answer. */
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 1_000;
/** The reports that are read at once. */
const READ_AT_ONCE = { reports: 500, bytes: 4 * 1024 * 1024 };
/** How long reports that are recorded may stay in the database: an order that ends before needs no statement for them. */
const REMOVE_AFTER_MS = 1_000;
/** After this time an order that its host has not accepted is withdrawn: another host may have a slot. */
const ACCEPT_WITHIN_MS = 30_000;

type Statement = (client: ClientBase, epoch: number) => Promise<void>;

/**
 * The hosts of an installation on PostgreSQL; nothing is read before someone asks for a host. Hosts are read when one
 * changes and when the lease of one may have ended, reports when there are some: without hosts nothing is read again.
 */
export class PostgresFleet implements Fleet {
  readonly #parts: Parts;
  readonly #listeners = new Set<() => void>();
  readonly #followed = new Map<string, FollowedOrder>();
  #hosts: FleetHost[] = [];
  /** The processes that have a lease, and for how long they had it when that was read. */
  #leases: ReadonlyMap<string, number> = new Map();
  readonly #reading: NotifiedReading;
  /** Whether the hosts are to be read, because one may have changed. */
  #isHostDue = true;
  #isOpen = false;
  /** Whether the checks of earlier leaders are cancelled. */
  #isBegun = false;
  #hostsReadAt = 0;
  readonly #closing = new AbortController();
  /** The last report of each order that is recorded and not removed. */
  #recorded = new Map<string, number>();
  #cancelRemoval: (() => void) | undefined;
  /** Commands that are being sent. */
  readonly #sending = new Set<Promise<void>>();

  constructor(parts: Parts) {
    this.#parts = parts;
    const { connection, world } = parts;
    this.#reading = new NotifiedReading({
      connection,
      world,
      channels: [HOSTS_CHANNEL, REPORTS_CHANNEL],
      onNotification: (channel) => {
        if (channel === HOSTS_CHANNEL) this.#isHostDue = true;
      },
      onConnected: () => {
        this.#isHostDue = true;
        // An order may have been withdrawn by a statement whose answer was lost.
        for (const followed of this.#followed.values()) followed.holder = undefined;
      },
      read: (client) => this.#read(client),
    });
  }

  get hosts(): readonly FleetHost[] {
    return this.#hosts;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (!this.#isOpen) this.#reading.request();
    this.#isOpen = true;
    return () => this.#listeners.delete(listener);
  }

  async *follow(order: string, signal: AbortSignal): AsyncGenerator<FollowedReport> {
    const followed = new FollowedOrder(() => this.#reading.request());
    this.#followed.set(order, followed);
    const cancelWithdrawal = this.#withdrawLater(order);
    this.#reading.request();
    try {
      for await (const report of followed.reports(signal)) {
        cancelWithdrawal();
        yield report;
      }
    } finally {
      cancelWithdrawal();
      this.#recorded.delete(order);
      if (this.#followed.get(order) === followed) this.#followed.delete(order);
    }
  }

  async withdraw(id: string): Promise<void> {
    await this.#send((client, epoch) => withdrawOrder(client, { id, epoch }));
    const followed = this.#followed.get(id);
    // Whether there still is an order is read, because the answer of the database may have been lost.
    if (followed !== undefined) followed.holder = undefined;
    this.#reading.request();
  }

  acknowledge(id: string, sequence: number): void {
    if (!this.#followed.has(id)) return;
    this.#recorded.set(id, sequence);
    const { world } = this.#parts;
    // Safe: reports that are not removed are read again by the next leader, and recorded once.
    const remove = () => this.#removeRecorded().catch(() => {});
    this.#cancelRemoval ??= world.alarm(world.now() + REMOVE_AFTER_MS, remove);
  }

  async send(id: string, body: unknown): Promise<void> {
    await this.#send((client, epoch) => insertCommand(client, { id, body, epoch }));
  }

  async remove(id: string): Promise<void> {
    await this.#send((client, epoch) => removeOrder(client, { id, epoch }));
  }

  async cancel(id: string, reason: string): Promise<void> {
    await this.#send((client, epoch) => cancelOrder(client, { id, reason, epoch }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#cancelRemoval?.();
    await Promise.allSettled(this.#sending);
    await this.#reading[Symbol.asyncDispose]();
    this.#endFollowing();
  }

  async #removeRecorded(): Promise<void> {
    this.#cancelRemoval = undefined;
    const recorded = this.#recorded;
    this.#recorded = new Map();
    if (recorded.size > 0) await this.#execute((client, epoch) => removeReports(client, recorded, epoch));
  }

  #endFollowing(): void {
    for (const followed of this.#followed.values()) followed.end();
  }

  async #execute(work: Statement): Promise<void> {
    const epoch = this.#parts.epoch();
    if (epoch !== undefined) await this.#parts.connection.use((client) => work(client, epoch));
  }

  /** Executes a statement that changes nothing when it is repeated, again while the database does not answer, until another server leads or this one closes. */
  #send(statement: Statement): Promise<void> {
    const sent = this.#untilSent(statement).finally(() => this.#sending.delete(sent));
    this.#sending.add(sent);
    return sent;
  }

  async #untilSent(statement: Statement): Promise<void> {
    const { signal } = this.#closing;
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_RETRY_MS)) {
      try {
        return await this.#execute(statement);
      } catch (error) {
        if (!isOutage(error) || signal.aborted) throw error;
      }
      // Safe: the pause ends early only when this closes, after the last try.
      await this.#parts.world.sleep(waitMs, signal).catch(() => {});
    }
  }

  /** Reads what may have changed, and returns after how long a lease may have ended. */
  async #read(client: ClientBase): Promise<number | undefined> {
    const epoch = this.#parts.epoch();
    if (epoch === undefined) {
      this.#endFollowing();
      return undefined;
    }
    const isHostDue = this.#isHostDue || this.#soonestEndMs() <= 0;
    this.#isHostDue = false;
    try {
      if (isHostDue) await this.#readHosts(client, epoch);
      await this.#readHolders(client);
    } catch (error) {
      this.#isHostDue ||= isHostDue;
      throw error;
    }
    for (const followed of this.#followed.values()) followed.lost ??= this.#lossOf(followed);
    // After the hosts: of a process that has lost its lease, these are all reports that there will be.
    await this.#readReports(client);
    const nextMs = this.#soonestEndMs();
    return Number.isFinite(nextMs) ? Math.max(0, nextMs) + AFTER_LEASE_MS : undefined;
  }

  async #readHosts(client: ClientBase, epoch: number): Promise<void> {
    if (!this.#isBegun) await cancelChecksBefore(client, epoch);
    this.#isBegun = true;
    await fenceExpired(client, epoch);
    await removeLostCommands(client, epoch);
    await removeForgottenReports(client, epoch);
    for (const id of await withdrawFromDraining(client, epoch)) {
      const followed = this.#followed.get(id);
      if (followed !== undefined) followed.holder = undefined;
    }
    const hosts = await readHosts(client);
    // After the hosts: the process of each host that gets an order is among them, unless it has lost its lease.
    this.#leases = await readLeases(client);
    this.#hostsReadAt = performance.now();
    this.#setHosts(hosts);
  }

  /** Reads which processes have the orders that are followed since the last reading. */
  async #readHolders(client: ClientBase): Promise<void> {
    const unknown = [...this.#followed].filter(([, { holder }]) => holder === undefined);
    if (unknown.length === 0) return;
    const found = await readHolders(
      client,
      unknown.map(([id]) => id),
    );
    const holders = new Map(found.map((holder) => [holder.id, holder]));
    for (const [id, followed] of unknown) followed.holder = holders.get(id) ?? null;
    const draining = new Set(this.#hosts.filter(({ isDraining }) => isDraining).map(({ name }) => name));
    if (!found.some(({ host }) => draining.has(host))) return;
    // Sent after the last reading: it is withdrawn, unless the host accepted it.
    this.#isHostDue = true;
    this.#reading.request();
  }

  /** Why the process that has an order reports nothing more; undefined if it may. */
  #lossOf({ holder }: FollowedOrder): string | undefined {
    if (holder === undefined) return undefined;
    if (holder === null) return 'The order was withdrawn before a host accepted it';
    return this.#leases.has(holder.instance) ? undefined : `The host ${holder.host} was lost`;
  }

  /** Reads the reports of all orders that do not have many waiting ones; the rest when some of these are recorded. */
  async #readReports(client: ClientBase): Promise<void> {
    const following = new Map([...this.#followed].filter(([, { isReady }]) => isReady));
    if (following.size === 0) return;
    const after = new Map([...following].map(([id, { lastRead }]) => [id, lastRead]));
    const reports = await readReports(client, after, READ_AT_ONCE);
    let readBytes = 0;
    for (const { id, sequence, body, bytes } of reports) {
      readBytes += bytes;
      following.get(id)?.deliver({ kind: 'report', sequence, body }, bytes);
    }
    if (reports.length === READ_AT_ONCE.reports || readBytes >= READ_AT_ONCE.bytes) return this.#reading.request();
    for (const [id, followed] of following) {
      if (followed.lost === undefined) continue;
      followed.deliver({ kind: 'lost', reason: followed.lost });
      if (this.#followed.get(id) === followed) this.#followed.delete(id);
    }
  }

  #withdrawLater(order: string): () => void {
    const { world } = this.#parts;
    // Safe: an order that is not withdrawn is accepted, or lost with its host.
    return world.alarm(world.now() + ACCEPT_WITHIN_MS, () => this.withdraw(order).catch(() => {}));
  }

  /** After how long the first lease that is known ends, if it is not renewed. */
  #soonestEndMs(): number {
    return Math.min(...this.#leases.values()) - (performance.now() - this.#hostsReadAt);
  }

  #setHosts(hosts: FleetHost[]): void {
    const known = describe(this.#hosts);
    this.#hosts = hosts;
    if (known !== describe(hosts)) for (const listener of this.#listeners) listener();
  }
}

/** What of the hosts decides where attempts start. */
function describe(hosts: readonly FleetHost[]): string {
  return JSON.stringify(hosts.map(({ expiresInMs: _, ...host }) => host));
}
