import type { ClientBase } from 'pg';
import type { World } from '../../../world.ts';
import type { Fleet, FleetHost, FollowedReport } from '../../fleet.ts';
import type { Connection } from '../connection.ts';
import { NotifiedReading } from '../notified-reading.ts';
import { fenceExpired, HOSTS_CHANNEL, readHosts } from './host-rows.ts';
import {
  cancelChecksBefore,
  cancelOrder,
  insertCommand,
  type OrderHolder,
  REPORTS_CHANNEL,
  readHolders,
  readReports,
  removeOrder,
  removeReports,
} from './order-rows.ts';

type Parts = { connection: Connection; world: World; epoch(): number | undefined };

/** After a lease has ended by the clock of the database, by which this process only estimates. */
const AFTER_LEASE_MS = 100;
/** The reports that are read at once. */
const MOST_REPORTS = 500;

/** The reports of one order that wait to be read. */
type Followed = { waiting: FollowedReport[]; delivered: number; isOver: boolean; wake: () => void };

/**
 * The hosts of an installation on PostgreSQL; nothing is read before someone asks for a host. Hosts are read when one
 * changes and when the lease of one may have ended, reports when there are some: without hosts nothing is read again.
 */
export class PostgresFleet implements Fleet {
  readonly #parts: Parts;
  readonly #listeners = new Set<() => void>();
  readonly #followed = new Map<string, Followed>();
  #hosts: FleetHost[] = [];
  readonly #reading: NotifiedReading;
  /** Whether the hosts are to be read: one may have changed, or an order is followed whose host is not known. */
  #isHostDue = true;
  #isOpen = false;
  /** Whether the checks of earlier leaders are cancelled. */
  #isBegun = false;
  #hostsReadAt = 0;

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
    const followed: Followed = { waiting: [], delivered: 0, isOver: false, wake: () => {} };
    this.#followed.set(order, followed);
    const wake = () => followed.wake();
    signal.addEventListener('abort', wake);
    try {
      this.#isHostDue = true;
      this.#reading.request();
      while (!signal.aborted && !followed.isOver) {
        const next = followed.waiting.shift();
        if (next !== undefined) yield next;
        if (next?.kind === 'lost') return;
        if (next !== undefined) continue;
        await new Promise<void>((resolve) => {
          followed.wake = resolve;
          if (signal.aborted || followed.isOver || followed.waiting.length > 0) resolve();
        });
      }
    } finally {
      signal.removeEventListener('abort', wake);
      if (this.#followed.get(order) === followed) this.#followed.delete(order);
    }
  }

  async acknowledge(id: string, sequence: number): Promise<void> {
    await this.#use((client, epoch) => removeReports(client, { id, sequence, epoch }));
  }

  async send(id: string, body: unknown): Promise<void> {
    await this.#use((client, epoch) => insertCommand(client, { id, body, epoch }));
  }

  async remove(id: string): Promise<void> {
    await this.#use((client, epoch) => removeOrder(client, { id, epoch }));
  }

  async cancel(id: string, reason: string): Promise<void> {
    await this.#use((client, epoch) => cancelOrder(client, { id, reason, epoch }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reading[Symbol.asyncDispose]();
    this.#endFollowing();
  }

  /** Another leader continues: what it does is not for this process to record. */
  #endFollowing(): void {
    for (const followed of this.#followed.values()) {
      followed.isOver = true;
      followed.wake();
    }
  }

  async #use(work: (client: ClientBase, epoch: number) => Promise<void>): Promise<void> {
    const epoch = this.#parts.epoch();
    if (epoch !== undefined) await this.#parts.connection.use((client) => work(client, epoch));
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
      const after = new Map([...this.#followed].map(([id, { delivered }]) => [id, delivered]));
      const found = isHostDue ? await this.#readHosts(client, { epoch, ids: [...after.keys()] }) : undefined;
      // After the hosts: of a process that has lost its lease, these are all reports that there will be.
      const reports = after.size === 0 ? [] : await readReports(client, after, MOST_REPORTS);
      for (const { id, sequence, body } of reports) this.#deliver(id, { kind: 'report', sequence, body });
      const isAll = reports.length < MOST_REPORTS;
      if (!isAll) this.#reading.request();
      if (found !== undefined && isAll) this.#deliverLost([...after.keys()], found);
      else if (found !== undefined) this.#isHostDue = true;
      if (found !== undefined) this.#setHosts(found.hosts);
    } catch (error) {
      this.#isHostDue ||= isHostDue;
      throw error;
    }
    const nextMs = this.#soonestEndMs();
    return Number.isFinite(nextMs) ? Math.max(0, nextMs) + AFTER_LEASE_MS : undefined;
  }

  async #readHosts(client: ClientBase, { epoch, ids }: { epoch: number; ids: string[] }) {
    if (!this.#isBegun) await cancelChecksBefore(client, epoch);
    this.#isBegun = true;
    await fenceExpired(client, epoch);
    const hosts = await readHosts(client);
    this.#hostsReadAt = performance.now();
    return { hosts, holders: await readHolders(client, ids) };
  }

  /** After how long the first lease that is known ends, if it is not renewed. */
  #soonestEndMs(): number {
    const ends = this.#hosts.flatMap(({ instance, expiresInMs }) => (instance === null ? [] : [expiresInMs]));
    return Math.min(...ends) - (performance.now() - this.#hostsReadAt);
  }

  #deliver(id: string, report: FollowedReport): void {
    const followed = this.#followed.get(id);
    if (followed === undefined) return;
    if (report.kind === 'report') {
      if (report.sequence <= followed.delivered) return;
      followed.delivered = report.sequence;
    }
    followed.waiting.push(report);
    followed.wake();
  }

  #deliverLost(ids: readonly string[], { hosts, holders }: { hosts: FleetHost[]; holders: OrderHolder[] }): void {
    for (const id of ids) {
      const holder = holders.find((each) => each.id === id);
      const host = hosts.find(({ name }) => name === holder?.host);
      if (holder !== undefined && host?.instance === holder.instance) continue;
      const name = holder === undefined ? 'Its host' : `The host ${holder.host}`;
      this.#deliver(id, { kind: 'lost', reason: `${name} was lost` });
    }
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
