import type { ClientBase } from 'pg';
import { AppError } from '../../../errors.ts';
import type { World } from '../../../world.ts';
import type { Fleet, FleetHost, FollowedReport, HostOrder } from '../../fleet.ts';
import type { Connection } from '../connection.ts';
import { fenceExpired, readHosts } from './host-rows.ts';
import type { OrderQueue } from './order-queue.ts';
import {
  insertCommand,
  insertOrder,
  ORDERS_CHANNEL,
  type OrderHolder,
  REPORTS_CHANNEL,
  readHolders,
  readReports,
  removeOrder,
  removeReports,
} from './order-rows.ts';

type Parts = { connection: Connection; world: World; epoch(): number | undefined };

/** How long a host, a lost lease or a report whose notification was lost remains unseen. */
const POLL_MS = 1_000;
/** The reports that are read at once. */
const MOST_REPORTS = 500;

/** The reports of one order that wait to be read. */
type Followed = { waiting: FollowedReport[]; delivered: number; isOver: boolean; wake: () => void };

/** The hosts of an installation on PostgreSQL; nothing is read before someone asks for a host. */
export class PostgresFleet implements Fleet {
  readonly #parts: Parts;
  readonly #listeners = new Set<() => void>();
  readonly #followed = new Map<string, Followed>();
  #hosts: FleetHost[] = [];
  #queue: OrderQueue | undefined;
  #queues = new Set<string>();
  #cancel = () => {};
  #reading: Promise<void> | undefined;
  #isAgain = false;
  #isListening = false;
  #state: 'new' | 'open' | 'closed' = 'new';

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get hosts(): readonly FleetHost[] {
    return this.#hosts;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#open();
    return () => this.#listeners.delete(listener);
  }

  async *follow(order: string, signal: AbortSignal): AsyncGenerator<FollowedReport> {
    const followed: Followed = { waiting: [], delivered: 0, isOver: false, wake: () => {} };
    this.#followed.set(order, followed);
    const wake = () => followed.wake();
    signal.addEventListener('abort', wake);
    try {
      this.#open();
      this.#read();
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

  /** Sends orders in the transaction that writes the events which cause them. */
  async sendOrders(client: ClientBase, orders: readonly HostOrder[]): Promise<void> {
    if (this.#queue === undefined) throw new AppError('INTERNAL', 'An order needs a host');
    for (const order of orders) {
      await insertOrder(client, order);
      await this.#queue.send(client, order);
      await client.query('SELECT pg_notify($1, $2)', [ORDERS_CHANNEL, order.host]);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#state = 'closed';
    this.#cancel();
    await this.#reading;
    await this.#queue?.[Symbol.asyncDispose]();
    this.#endFollowing();
  }

  /** Another leader continues: what it does is not for this process to record. */
  #endFollowing(): void {
    for (const followed of this.#followed.values()) {
      followed.isOver = true;
      followed.wake();
    }
  }

  #open(): void {
    if (this.#state !== 'new') return;
    this.#state = 'open';
    this.#read();
  }

  async #use(work: (client: ClientBase, epoch: number) => Promise<void>): Promise<void> {
    const epoch = this.#parts.epoch();
    if (epoch !== undefined) await this.#parts.connection.use((client) => work(client, epoch));
  }

  /** Reads now, or again after the reading that is in flight. */
  #read(): void {
    if (this.#state !== 'open') return;
    this.#isAgain = true;
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
      this.#cancel();
      const { world } = this.#parts;
      if (this.#state === 'open') this.#cancel = world.alarm(world.now() + POLL_MS, () => this.#read());
    });
  }

  async #readAll(): Promise<void> {
    while (this.#isAgain && this.#state === 'open') {
      this.#isAgain = false;
      try {
        await this.#readOnce();
      } catch {
        // Safe: it is read again after a pause, and nothing is acknowledged that was not read.
        return;
      }
    }
  }

  async #readOnce(): Promise<void> {
    const { connection } = this.#parts;
    const epoch = this.#parts.epoch();
    if (epoch === undefined) return this.#endFollowing();
    if (!connection.isOpen) this.#isListening = false;
    const ids = [...this.#followed.keys()];
    const read = await connection.use(async (client) => {
      if (!this.#isListening) {
        client.on('notification', () => this.#read());
        await client.query(`LISTEN ${REPORTS_CHANNEL}`);
        this.#isListening = true;
      }
      await fenceExpired(client, epoch);
      const hosts = await readHosts(client);
      const holders = await readHolders(client, ids);
      // After the hosts: of a process that has lost its lease, these are all reports that there will be.
      return { hosts, holders, reports: await readReports(client, ids, MOST_REPORTS) };
    });
    await this.#createQueues(read.hosts);
    for (const { id, sequence, body } of read.reports) this.#deliver(id, { kind: 'report', sequence, body });
    if (read.reports.length < MOST_REPORTS) this.#deliverLost(ids, read);
    this.#setHosts(read.hosts);
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

  /** A host can get orders when it has a queue. */
  async #createQueues(hosts: readonly FleetHost[]): Promise<void> {
    for (const { name, instance } of hosts) {
      if (instance === null || this.#queues.has(name)) continue;
      const { OrderQueue } = await import('./order-queue.ts');
      this.#queue ??= new OrderQueue(this.#parts.connection, { owner: true });
      await this.#queue.create(name);
      this.#queues.add(name);
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
