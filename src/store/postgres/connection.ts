import pg from 'pg';
import { AppError } from '../../errors.ts';
import { fromPostgresError, isTransient } from './postgres-error.ts';

/** Longer than the server takes to end an idle transaction, so that a statement that waits for its lock is not given up. */
export const USUAL_TIMEOUTS = { queryMs: 20_000, connectMs: 10_000 };
/** Short enough for several tries, each on a new connection, in a lease of 15 s that is renewed every 5 s. */
export const RENEWAL_TIMEOUTS = { queryMs: 3_000, connectMs: 3_000 };
/** After a network failure the server ends the transaction that waits for its client, and releases its locks. */
const IDLE_TRANSACTION_MS = 5_000;
const KEEP_ALIVE_MS = 5_000;
/** The server ends the session of a client that is gone within half a minute: its places for connections are limited. */
const SERVER_KEEP_ALIVE =
  '-c tcp_keepalives_idle=15 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c tcp_user_timeout=30000';
const BIGINT = 20;

/** One connection to PostgreSQL, opened when it is needed, and again after it was lost. */
export class Connection implements AsyncDisposable {
  /** The database without its password, for messages. */
  readonly database: string;
  readonly #config: pg.ClientConfig;
  readonly #lostListeners = new Set<() => void>();
  #client: Promise<pg.Client> | undefined;

  constructor(url: string, { queryMs, connectMs } = USUAL_TIMEOUTS, name = 'manyhands') {
    this.database = describeUrl(url);
    this.#config = {
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: connectMs,
      query_timeout: queryMs,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
      options: SERVER_KEEP_ALIVE,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      types: { getTypeParser: typeParser },
    };
  }

  /** Calls the listener when an open connection is lost, also while nothing is sent; returns the function that unsubscribes. */
  onLost(listener: () => void): () => void {
    this.#lostListeners.add(listener);
    return () => this.#lostListeners.delete(listener);
  }

  /** Does the work on the connection; a connection that was lost, or is left inside a transaction, is not used again. Throws AppError. */
  async use<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    this.#client ??= this.#connect();
    const connected = this.#client;
    try {
      return await work(await connected);
    } catch (error) {
      await this.#abandon(connected, isTransient(error));
      throw fromPostgresError(error, this.database);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    // Safe: the server ends a session whose connection is closed.
    await client?.end().catch(() => {});
  }

  #connect(): Promise<pg.Client> {
    const connected: Promise<pg.Client> = this.#open(() => this.#forget(connected));
    return connected;
  }

  async #open(onEnd: () => void): Promise<pg.Client> {
    const client = oneByOne(new pg.Client(this.#config));
    client.on('error', onEnd);
    client.on('end', onEnd);
    await client.connect();
    return client;
  }

  /** Several statements may fail with a connection, also after a new one was opened. */
  #forget(connected: Promise<pg.Client>): void {
    if (this.#client !== connected) return;
    this.#client = undefined;
    for (const listener of this.#lostListeners) listener();
  }

  async #abandon(connected: Promise<pg.Client>, isLost: boolean): Promise<void> {
    const client = await connected.catch(() => undefined);
    if (!isLost && client !== undefined) {
      // Safe: without a transaction this only warns; a lost connection is found by the next statement.
      const isUsable = await client.query('ROLLBACK').then(
        () => true,
        () => false,
      );
      if (isUsable) return;
    }
    this.#forget(connected);
    // An end in order would wait for the statement that does not return.
    (client as unknown as { connection?: { stream?: { destroy(): void } } } | undefined)?.connection?.stream?.destroy();
  }
}

/** Statements of several callers wait for each other here: the driver is going to refuse one while another is executed. */
function oneByOne(client: pg.Client): pg.Client {
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (...args: unknown[]) => {
    const result = last.then(() => query(...args));
    // Safe: its own caller gets the error.
    last = result.catch(() => {});
    return result;
  };
  // Only the form that returns a promise is used; the driver's own type has nine overloads.
  client.query = inTurn as typeof client.query;
  return client;
}

/** Requires a URL of PostgreSQL; the message does not contain it, because it may contain a password. */
function requireDatabaseUrl(url: string): string {
  if (URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol)) return url;
  throw new AppError(
    'DATABASE_REFUSED',
    'The address of the database is not a URL of the form postgresql://user@host:5432/database',
  );
}

/** Server and database of a URL, without user and password. */
function describeUrl(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(requireDatabaseUrl(url));
  const host = searchParams.get('host') ?? (hostname || 'localhost');
  return `postgresql://${host}${port === '' ? '' : `:${port}`}${pathname}`;
}

/** Numbers of 64 bits as numbers: positions, times and counts stay below 2^53. */
function typeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  // The driver's own types describe one overload for each format.
  const parser = pg.types.getTypeParser(oid, format as 'text') as (value: string) => unknown;
  return oid === BIGINT ? Number : parser;
}
