import type { Socket } from 'node:net';
import pg from 'pg';
import { messageOf } from '../errors.ts';
import { RowCollector } from './collect-rows.ts';
import type { DatabaseAnswer, DatabaseRequest } from './query-database.ts';
import { ROLE_RIGHTS } from './role-rights.ts';

const CONNECT_MS = 5_000;
/** Rows are fetched in parts, so that few large ones do not fill the memory. */
const FETCHED_ROWS = 20;
/** What the server may send in all; a row of more ends the connection. */
const MAX_RECEIVED_BYTES = 32 * 1024 * 1024;

/** What PostgreSQL refuses a query for: it would write, take too long, lacks the right, or is no single query. */
const REFUSALS: Readonly<Record<string, string>> = {
  '25001': 'it would write',
  '25006': 'it would write',
  '57014': 'it took too long',
  '42501': 'the role may not do this',
  '0A000': 'it is not a query that only reads',
  '42P11': 'it is not a query that only reads',
  '55P03': 'it waited for a lock',
};

/**
 * A query of PostgreSQL: declared as a cursor by the extended protocol, so that the server accepts one query that changes
 * nothing and no other statement; in a transaction that only reads, with a time limit, and rolled back; by a role that has
 * no right to write.
 */
export async function queryPostgres(
  url: string,
  { sql, timeoutMs, ...limits }: DatabaseRequest,
): Promise<DatabaseAnswer> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'manyhands-query',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: timeoutMs + 2_000,
    // The text of the server, without conversion.
    types: { getTypeParser: () => (value: string | Buffer) => value },
  });
  const lost = new Promise<never>((_, reject) => client.on('error', reject));
  // The connection may end while nothing waits for it.
  lost.catch(() => {});
  try {
    await client.connect();
    boundReceived(client);
    return await Promise.race([readOnly(client, { sql, timeoutMs, ...limits }), lost]);
  } catch (error) {
    return answerOf(error);
  } finally {
    // The server ends a session whose connection is gone; an end in order would wait for a statement that does not return.
    streamOf(client).destroy();
  }
}

async function readOnly(
  client: pg.Client,
  { sql, timeoutMs, ...limits }: Omit<DatabaseRequest, 'target'>,
): Promise<DatabaseAnswer> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await client.query(`SET LOCAL statement_timeout = ${timeoutMs}`);
  await client.query(`SET LOCAL lock_timeout = ${timeoutMs}`);
  await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${timeoutMs * 2}`);
  // A server before version 14 has no such setting, and ends the query at its time limit.
  await client.query(
    "SELECT set_config(name, '1s', true) FROM pg_settings WHERE name = 'client_connection_check_interval'",
  );
  const { rows: rights } = await client.query<{ right: string }>(ROLE_RIGHTS);
  const [found] = rights;
  if (found !== undefined)
    return {
      kind: 'refused',
      reason: `The role of the database may do more than read: ${found.right}. Use one with only CONNECT, USAGE and SELECT.`,
    };
  await client.query(extended(`DECLARE query NO SCROLL CURSOR FOR ${sql}`));
  const collector = new RowCollector(limits);
  let columns: string[] = [];
  for (;;) {
    const { rows, fields } = await client.query<unknown[]>(extended(`FETCH FORWARD ${FETCHED_ROWS} FROM query`));
    columns = fields.map(({ name }) => name);
    const isFull = rows.some((row) => !collector.add(row));
    if (isFull || rows.length < FETCHED_ROWS) break;
  }
  await client.query('ROLLBACK');
  return { kind: 'rows', ...collector.result(columns) };
}

/** One statement; the server refuses several. Rows are arrays, because columns may have the same name. */
function extended(text: string): pg.QueryArrayConfig {
  // The types of the driver do not know this option.
  return { text, rowMode: 'array', queryMode: 'extended' } as pg.QueryArrayConfig;
}

/** The connection itself, which is not in the types of the driver. */
function streamOf(client: pg.Client): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}

function boundReceived(client: pg.Client): void {
  const stream = streamOf(client);
  let received = 0;
  stream.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > MAX_RECEIVED_BYTES) stream.destroy(new Error('The result is too large; select less'));
  });
}

function answerOf(error: unknown): DatabaseAnswer {
  const code = error instanceof pg.DatabaseError ? (error.code ?? '') : '';
  const message = messageOf(error);
  if (/not allowed here/i.test(message))
    return { kind: 'refused', reason: `it is not a query that only reads: ${message}` };
  if (/multiple commands/i.test(message)) return { kind: 'refused', reason: 'Only one statement is allowed' };
  if (/query read timeout/i.test(message)) return { kind: 'refused', reason: 'it took too long' };
  const refusal = REFUSALS[code];
  return refusal === undefined
    ? { kind: 'failed', reason: message }
    : { kind: 'refused', reason: `${refusal}: ${message}` };
}
