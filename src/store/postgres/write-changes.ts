import type { ClientBase } from 'pg';
import { AppError } from '../../errors.ts';
import { crashpoint } from '../../world.ts';
import type { HostOrder } from '../fleet.ts';
import { integerOf, type Row, textOf } from '../sqlite/columns.ts';
import type { Changes } from './changes.ts';
import { ORDERS_CHANNEL } from './hosts/order-rows.ts';
import { notLeader, readLeader } from './term.ts';

/** A commit is the `number`th of the installation, in the term of an epoch. */
export type CommitId = { epoch: number; number: number };

/** The channel on which each commit is announced to servers that stand by. */
export const COMMITS_CHANNEL = 'manyhands_commits';

/**
 * Writes the changes as one transaction, which happens once however often it is repeated: the number of the commit is the
 * one after the last, and the epoch is the current one. Throws NOT_LEADER if another term began before this commit.
 */
export async function writeChanges(client: ClientBase, { epoch, number }: CommitId, changes: Changes): Promise<void> {
  crashpoint('shared.writing');
  // Without removals, one statement is the whole transaction.
  const isOne = changes.removedRuns.length === 0;
  if (!isOne) await client.query('BEGIN');
  for (const run of changes.removedRuns) await removeRun(client, number, run);
  const { rows } = await client.query<{ terms: number }>(statementOf({ epoch, number }, changes));
  if (rows[0]?.terms !== 1) {
    if (!isOne) await client.query('ROLLBACK');
    await requireCommitted(client, { epoch, number });
    return;
  }
  crashpoint('shared.written');
  if (!isOne) await client.query('COMMIT');
  crashpoint('shared.committed');
}

/** After a connection was lost during the commit: whether it happened. Waits for a transaction that still runs, by its lock on the row. */
async function requireCommitted(client: ClientBase, { epoch, number }: CommitId): Promise<void> {
  const { rows } = await client.query<{ epoch: number; commit_number: number; next: number | null }>(
    `SELECT epoch, commit_number, (SELECT min(after_commit) FROM manyhands.terms WHERE terms.epoch > $1) AS next
     FROM manyhands.installation FOR SHARE`,
    [epoch],
  );
  const [state] = rows;
  if (state === undefined)
    throw new AppError('DATA_DAMAGED', 'The PostgreSQL database has no row about its installation');
  const lastOfTerm = state.epoch === epoch ? state.commit_number : (state.next ?? 0);
  if (lastOfTerm >= number) return;
  if (state.epoch !== epoch) throw notLeader(await readLeader(client));
  const message = `The PostgreSQL database is at commit ${state.commit_number}, not at ${number - 1}: it was changed or restored while it was in use`;
  throw new AppError('DATA_DAMAGED', message, { epoch, number });
}

/**
 * The rows of a commit in one prepared statement: each round trip to the database delays every decision. Nothing is added
 * unless the term is the current one and the commit the next one.
 */
function statementOf({ epoch, number }: CommitId, changes: Changes): { name: string; text: string; values: unknown[] } {
  const values: unknown[] = [epoch, number, changes.transcriptId, COMMITS_CHANNEL];
  const inserts = [
    ...(changes.blobs.length > 0 ? [blobsInsert(changes.blobs)] : []),
    ...(changes.events.length > 0 ? [eventsInsert(changes.events)] : []),
    ...(changes.attempts.length > 0 ? [attemptsUpsert(changes.attempts)] : []),
    ...(changes.transcript.length > 0 ? [transcriptInsert(changes.transcript)] : []),
    ...(changes.orders.length > 0 ? [ordersInsert(changes.orders)] : []),
  ];
  const parts = inserts.map(({ name, into, first, columns, last = '' }) => {
    const number = values.length + 1;
    values.push(...columns.map(({ rows }) => rows));
    const arrays = columns.map(({ type }, index) => `$${number + index}::${type}[]`).join(', ');
    const selected = first === undefined ? 'added.*' : `${first}, added.*`;
    return `${name} AS (INSERT INTO ${into} SELECT ${selected} FROM term, unnest(${arrays}) AS added ${last})`;
  });
  const removals = changes.finishedOrders.length === 0 ? [] : ['orders', 'reports', 'commands'];
  if (removals.length > 0) values.push(changes.finishedOrders);
  const finished = removals.map(
    (table) =>
      `finished_${table} AS (DELETE FROM manyhands.${table} USING term WHERE id = ANY ($${values.length}::text[]))`,
  );
  const term = `term AS (
    UPDATE manyhands.installation SET commit_number = $2, transcript_id = greatest(transcript_id, $3)
    WHERE epoch = $1 AND commit_number = $2 - 1 RETURNING pg_notify($4, $2::text))`;
  const text = `WITH ${[term, ...parts, ...finished].join(',\n')} SELECT count(*) AS terms FROM term`;
  const names = [...inserts.map(({ name }) => name), ...(removals.length > 0 ? ['finished'] : [])];
  return { name: `commit-${names.join('-')}`, text, values };
}

type Column = { type: 'text' | 'bigint' | 'bytea' | 'uuid'; rows: readonly unknown[] };
/** `first`: the value of the first column, if it is the same for all rows. `last`: how the statement ends. */
type Insert = { name: string; into: string; first?: '$1' | '$2'; columns: Column[]; last?: string };

async function removeRun(client: ClientBase, number: number, run: string): Promise<void> {
  await client.query('DELETE FROM manyhands.events WHERE stream = $1', [`run/${run}`]);
  for (const table of ['transcript', 'attempts'])
    await client.query(`DELETE FROM manyhands.${table} WHERE attempt >= $1 || '-' AND attempt < $1 || '.'`, [run]);
  // Repeated after the answer to the commit was lost, it changes nothing, and the number of the commit shows that it happened.
  await client.query('INSERT INTO manyhands.removals VALUES ($1, $2) ON CONFLICT DO NOTHING', [number, run]);
}

function eventsInsert(rows: readonly Row[]): Insert {
  const into = 'manyhands.events (commit_number, position, stream, version, at, type, data, origin, hash)';
  const columns = [
    ...integers(rows, 'position'),
    ...texts(rows, 'stream'),
    ...integers(rows, 'version', 'at'),
    ...texts(rows, 'type', 'data'),
    optionalTexts(rows, 'origin'),
    ...texts(rows, 'hash'),
  ];
  return { name: 'events', into, first: '$2', columns };
}

function blobsInsert(rows: readonly Row[]): Insert {
  const into = 'manyhands.blobs (commit_number, hash, text)';
  const last = 'ON CONFLICT (hash) DO NOTHING';
  return { name: 'blobs', into, first: '$2', columns: [...texts(rows, 'hash'), bytes(rows, 'text')], last };
}

function attemptsUpsert(rows: readonly Row[]): Insert {
  const into = 'manyhands.attempts (commit_number, attempt, usage, cursors)';
  const last = `ON CONFLICT (attempt) DO UPDATE SET
    commit_number = excluded.commit_number, usage = excluded.usage, cursors = excluded.cursors`;
  const columns = [...texts(rows, 'attempt'), optionalTexts(rows, 'usage'), ...texts(rows, 'cursors')];
  return { name: 'attempts', into, first: '$2', columns, last };
}

function transcriptInsert(rows: readonly Row[]): Insert {
  const into = 'manyhands.transcript (id, attempt, file, generation, start, part, at, kind, text, data)';
  const columns = [
    ...integers(rows, 'id'),
    ...texts(rows, 'name', 'file'),
    ...integers(rows, 'generation', 'offset', 'part', 'at'),
    ...texts(rows, 'kind'),
    bytes(rows, 'text'),
    optionalTexts(rows, 'data'),
  ];
  return { name: 'transcript', into, columns };
}

/** Orders to hosts, of this term, each of which notifies its host when the transaction is committed. */
function ordersInsert(orders: readonly HostOrder[]): Insert {
  const columns: Column[] = [
    { type: 'text', rows: orders.map(({ id }) => id) },
    { type: 'text', rows: orders.map(({ kind }) => kind) },
    { type: 'text', rows: orders.map(({ host }) => host) },
    { type: 'uuid', rows: orders.map(({ instance }) => instance) },
    { type: 'bytea', rows: orders.map(({ body }) => Buffer.from(body)) },
  ];
  const into = 'manyhands.orders (epoch, id, kind, host, instance, body)';
  return { name: 'orders', into, first: '$1', columns, last: `RETURNING pg_notify('${ORDERS_CHANNEL}', host)` };
}

function integers(rows: readonly Row[], ...columns: string[]): Column[] {
  return columns.map((column) => ({ type: 'bigint', rows: rows.map((row) => integerOf(row, column)) }));
}

function texts(rows: readonly Row[], ...columns: string[]): Column[] {
  return columns.map((column) => ({ type: 'text', rows: rows.map((row) => textOf(row, column)) }));
}

function optionalTexts(rows: readonly Row[], column: string): Column {
  return { type: 'text', rows: rows.map((row) => (row[column] === null ? null : textOf(row, column))) };
}

function bytes(rows: readonly Row[], column: string): Column {
  return { type: 'bytea', rows: rows.map((row) => Buffer.from(textOf(row, column))) };
}
