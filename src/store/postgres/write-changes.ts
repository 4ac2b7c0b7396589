import type { ClientBase } from 'pg';
import { AppError } from '../../errors.ts';
import { crashpoint } from '../../world.ts';
import type { HostOrder } from '../fleet.ts';
import { integerOf, type Row, textOf } from '../sqlite/columns.ts';
import type { Changes } from './changes.ts';
import { notLeader, readLeader } from './term.ts';

/** A commit is the `number`th of the installation, in the term of an epoch. */
export type CommitId = { epoch: number; number: number };

/** Sends orders to hosts in the transaction of the client. */
export type SendOrders = (client: ClientBase, orders: readonly HostOrder[]) => Promise<void>;

/** The channel on which each commit is announced to servers that stand by. */
export const COMMITS_CHANNEL = 'manyhands_commits';

/**
 * Writes the changes as one transaction, which happens once however often it is repeated: the number of the commit is the
 * one after the last, and the epoch is the current one. Throws NOT_LEADER if another term began before this commit.
 */
export async function writeChanges(
  client: ClientBase,
  { epoch, number }: CommitId,
  changes: Changes,
  sendOrders?: SendOrders,
): Promise<void> {
  crashpoint('shared.writing');
  await client.query('BEGIN');
  const { rowCount } = await client.query(
    `UPDATE manyhands.installation SET commit_number = $2, transcript_id = greatest(transcript_id, $3)
     WHERE epoch = $1 AND commit_number = $2 - 1 RETURNING pg_notify($4, $2::text)`,
    [epoch, number, changes.transcriptId, COMMITS_CHANNEL],
  );
  if (rowCount !== 1) {
    await client.query('ROLLBACK');
    await requireCommitted(client, { epoch, number });
    return;
  }
  await insertChanges(client, number, changes);
  if (changes.orders.length > 0) await sendOrders?.(client, changes.orders);
  crashpoint('shared.written');
  await client.query('COMMIT');
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

/** Adds the rows of a commit, after removing the runs that it removed. */
async function insertChanges(client: ClientBase, number: number, changes: Changes): Promise<void> {
  for (const run of changes.removedRuns) await removeRun(client, number, run);
  if (changes.blobs.length > 0) await insertBlobs(client, number, changes.blobs);
  if (changes.events.length > 0) await insertEvents(client, number, changes.events);
  if (changes.attempts.length > 0) await upsertAttempts(client, number, changes.attempts);
  if (changes.transcript.length > 0) await insertTranscript(client, changes.transcript);
}

async function removeRun(client: ClientBase, number: number, run: string): Promise<void> {
  await client.query('DELETE FROM manyhands.events WHERE stream = $1', [`run/${run}`]);
  for (const table of ['transcript', 'attempts'])
    await client.query(`DELETE FROM manyhands.${table} WHERE attempt >= $1 || '-' AND attempt < $1 || '.'`, [run]);
  await client.query('INSERT INTO manyhands.removals VALUES ($1, $2)', [number, run]);
}

async function insertEvents(client: ClientBase, number: number, rows: readonly Row[]): Promise<void> {
  await client.query(
    `INSERT INTO manyhands.events (commit_number, position, stream, version, at, type, data, origin, hash)
     SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[])`,
    [
      number,
      ...integers(rows, 'position'),
      ...texts(rows, 'stream'),
      ...integers(rows, 'version', 'at'),
      ...texts(rows, 'type', 'data'),
      optionalTexts(rows, 'origin'),
      ...texts(rows, 'hash'),
    ],
  );
}

async function insertBlobs(client: ClientBase, number: number, rows: readonly Row[]): Promise<void> {
  await client.query(
    `INSERT INTO manyhands.blobs (commit_number, hash, text) SELECT $1, * FROM unnest($2::text[], $3::bytea[])
     ON CONFLICT (hash) DO NOTHING`,
    [number, ...texts(rows, 'hash'), bytes(rows, 'text')],
  );
}

async function upsertAttempts(client: ClientBase, number: number, rows: readonly Row[]): Promise<void> {
  await client.query(
    `INSERT INTO manyhands.attempts (commit_number, attempt, usage, cursors)
     SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[])
     ON CONFLICT (attempt) DO UPDATE SET
       commit_number = excluded.commit_number, usage = excluded.usage, cursors = excluded.cursors`,
    [number, ...texts(rows, 'attempt'), optionalTexts(rows, 'usage'), ...texts(rows, 'cursors')],
  );
}

async function insertTranscript(client: ClientBase, rows: readonly Row[]): Promise<void> {
  await client.query(
    `INSERT INTO manyhands.transcript (id, attempt, file, generation, start, part, at, kind, text, data)
     SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
       $8::text[], $9::bytea[], $10::text[])`,
    [
      ...integers(rows, 'id'),
      ...texts(rows, 'name', 'file'),
      ...integers(rows, 'generation', 'offset', 'part', 'at'),
      ...texts(rows, 'kind'),
      bytes(rows, 'text'),
      optionalTexts(rows, 'data'),
    ],
  );
}

function integers(rows: readonly Row[], ...columns: string[]): number[][] {
  return columns.map((column) => rows.map((row) => integerOf(row, column)));
}

function texts(rows: readonly Row[], ...columns: string[]): string[][] {
  return columns.map((column) => rows.map((row) => textOf(row, column)));
}

function optionalTexts(rows: readonly Row[], column: string): (string | null)[] {
  return rows.map((row) => (row[column] === null ? null : textOf(row, column)));
}

function bytes(rows: readonly Row[], column: string): Buffer[] {
  return rows.map((row) => Buffer.from(textOf(row, column)));
}
