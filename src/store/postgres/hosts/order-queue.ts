import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';
import { PgBoss } from 'pg-boss';
import type { HostOrder } from '../../fleet.ts';
import type { Connection } from '../connection.ts';

/** The schema of the queues; `manyhands` has everything else. */
export const ORDERS_SCHEMA = 'manyhands_orders';
/** An order that its host has not fetched for a day is of no use. */
const RETENTION_SECONDS = 86_400;

/** The queue of orders of each host, by pg-boss; an order is fetched, accepted and completed in one transaction of the host. */
export class OrderQueue implements AsyncDisposable {
  readonly #boss: PgBoss;
  #started: Promise<unknown> | undefined;
  #exists = false;

  /** `owner`: whether this process creates the queues and removes what has expired. */
  constructor(connection: Connection, { owner }: { owner: boolean }) {
    this.#boss = new PgBoss({
      db: { executeSql: (text, values) => connection.use((client) => client.query(text, values)) },
      schema: ORDERS_SCHEMA,
      migrate: owner,
      supervise: owner,
      schedule: false,
    });
    // Safe: what failed is tried again at its next interval; orders themselves are sent in transactions that report errors.
    this.#boss.on('error', () => {});
  }

  /** Whether the leader has created the queue of a host yet; to be called outside of a transaction, because it may start. */
  async exists(client: ClientBase, host: string): Promise<boolean> {
    if (this.#exists) return true;
    const { rows } = await client.query('SELECT to_regclass($1) IS NOT NULL AS present', [`${ORDERS_SCHEMA}.queue`]);
    if (rows[0]?.present !== true) return false;
    await this.#start();
    this.#exists = (await this.#boss.getQueue(queueOf(host))) !== null;
    return this.#exists;
  }

  /** Creates the queue of a host, if there is none. */
  async create(host: string): Promise<void> {
    await this.#start();
    if ((await this.#boss.getQueue(queueOf(host))) === null)
      await this.#boss.createQueue(queueOf(host), { retryLimit: 0, retentionSeconds: RETENTION_SECONDS });
  }

  /** Sends orders in the transaction of the client; sending one again changes nothing. */
  async send(client: ClientBase, orders: readonly HostOrder[]): Promise<void> {
    await this.#start();
    for (const [host, all] of Map.groupBy(orders, (order) => order.host)) {
      const jobs = all.map(({ id }) => ({ id: jobId(id), data: { id } }));
      await this.#boss.insert(queueOf(host), jobs, { db: inside(client) });
    }
  }

  /** Takes orders out of the queue of a host. */
  async take(client: ClientBase, host: string, most: number): Promise<{ job: string; id: string }[]> {
    await this.#start();
    const jobs = await this.#boss.fetch<{ id: string }>(queueOf(host), { batchSize: most, db: inside(client) });
    return jobs.map(({ id, data }) => ({ job: id, id: data.id }));
  }

  /** Removes orders from the queue of a host that it has taken. */
  async complete(client: ClientBase, host: string, jobs: readonly string[]): Promise<void> {
    await this.#boss.complete(queueOf(host), [...jobs], undefined, { db: inside(client) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#started === undefined) return;
    // Safe: one that did not start has nothing to stop.
    await this.#started.catch(() => {});
    await this.#boss.stop({ graceful: false, close: false }).catch(() => {});
  }

  #start(): Promise<unknown> {
    this.#started ??= this.#boss.start().catch((error: unknown) => {
      this.#started = undefined;
      throw error;
    });
    return this.#started;
  }
}

/** The statements of the queue on this connection, each prepared once: planning them takes longer than executing them. */
function inside(client: ClientBase) {
  return {
    executeSql: (text: string, values: unknown[] = []) => {
      const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
      return client.query({ name, text, values });
    },
  };
}

function queueOf(host: string): string {
  return `host-${host}`;
}

/** The same order always has the same job. */
function jobId(order: string): string {
  const hex = createHash('sha256').update(order).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
