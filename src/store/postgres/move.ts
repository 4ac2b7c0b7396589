import { renameSync, rmSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import type { ClientBase } from 'pg';
import { AppError } from '../../errors.ts';
import { crashpoint, type World } from '../../world.ts';
import { databaseDamage } from '../sqlite/backup.ts';
import { integerOf, type Row, textOf } from '../sqlite/columns.ts';
import { preparePrivateFile } from '../sqlite/database-file.ts';
import { openDatabase } from '../sqlite/open.ts';
import { type Changes, lastTranscriptId } from './changes.ts';
import { Connection, RENEWAL_TIMEOUTS } from './connection.ts';
import { readHosts } from './hosts/host-rows.ts';
import { readOrders } from './hosts/order-rows.ts';
import { Leadership } from './leadership.ts';
import { openPostgresStore } from './open.ts';
import { migrateSchema, readMove } from './schema.ts';
import type { Candidate } from './term.ts';

/** `file` is the embedded database, `readModel` the local copy of the installation. */
type MoveOptions = { url: string; file: string; readModel: string; candidate: Candidate; world: World };

/** What was moved. */
export type MovedRows = { runs: number; events: number; texts: number; transcriptRows: number };

/** Rows of one commit, so that a repeated move continues where it was interrupted. */
const CHUNK_ROWS = 1_000;
const CHUNK_TEXTS = 50;

/**
 * Copies an embedded database into an empty installation, compares both, and releases the installation for use. Interrupted
 * anywhere, it continues when it is called again. The embedded file is only read.
 */
export async function moveToPostgres({ url, file, candidate, world }: MoveOptions): Promise<MovedRows> {
  await using connection = new Connection(url);
  await using renewals = new Connection(url, RENEWAL_TIMEOUTS);
  await using leadership = new Leadership({ commits: connection, renewals, candidate, world });
  await connection.use(migrateSchema);
  using db = openDatabase({ file });
  const state = await connection.use(readMove);
  const isMoved = state.movedFrom === candidate.server && state.movingFrom === null;
  if (!isMoved && state.movingFrom !== candidate.server) requireEmpty(state, connection.database);
  await leadership.begin();
  if (isMoved && !(await isContained(connection, db))) throw notEmpty(connection.database, 'has data of its own');
  if (!isMoved) {
    const readingSince = integerOf(
      db.prepare("SELECT position FROM marks WHERE name = 'reading'").get() ?? {},
      'position',
    );
    await connection.use((client) =>
      client.query('UPDATE manyhands.installation SET moving_from = $1, reading_since = $2 WHERE server = $1', [
        candidate.server,
        readingSince,
      ]),
    );
    for await (const changes of missingRows(connection, db)) {
      crashpoint('move.copying');
      await leadership.commit(changes);
    }
  }
  if (!(await isContained(connection, db)))
    throw new AppError(
      'DATA_DAMAGED',
      `The copy in ${connection.database} is not complete; the embedded database was not changed`,
    );
  crashpoint('move.copied');
  await connection.use((client) =>
    client.query('UPDATE manyhands.installation SET moving_from = NULL, moved_from = $1 WHERE server = $1', [
      candidate.server,
    ]),
  );
  crashpoint('move.released');
  return countRows(db);
}

/**
 * Copies an installation into an embedded database that does not exist yet, and closes the installation for further use; its
 * data remains there. Interrupted anywhere, it continues when it is called again.
 */
export async function moveFromPostgres(options: MoveOptions): Promise<MovedRows> {
  const { url, file, readModel, candidate, world } = options;
  const { store } = await openPostgresStore({ url, file: readModel, world, candidate, lead: true, moving: true });
  try {
    await using connection = new Connection(url);
    // As the leader, so that no order is added afterwards.
    await connection.use(requireNoHosts);
    await connection.use((client) =>
      client.query('UPDATE manyhands.installation SET moved_to = $1 WHERE server = $1', [candidate.server]),
    );
    crashpoint('move.closed');
  } finally {
    await store[Symbol.asyncDispose]();
  }
  const temporary = `${file}.moving`;
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${temporary}${end}`, { force: true });
  preparePrivateFile(temporary);
  await copyFile(readModel, temporary);
  crashpoint('move.copied');
  renameSync(temporary, file);
  crashpoint('move.released');
  using db = openDatabase({ file });
  return countRows(db);
}

/** An embedded database has no hosts: what they do would be paid for, and read by nobody. */
async function requireNoHosts(client: ClientBase): Promise<void> {
  const orders = await readOrders(client);
  const hosts = (await readHosts(client)).filter(({ instance, expiresInMs }) => instance !== null && expiresInMs > 0);
  if (orders.length === 0 && hosts.length === 0) return;
  const names = hosts.map(({ name }) => name).join(', ');
  const ids = orders.map(({ id }) => id).join(', ');
  const message = [
    ...(orders.length === 0 ? [] : [`Orders to hosts are not finished: ${ids}`]),
    ...(hosts.length === 0 ? [] : [`Hosts are running: ${names}`]),
  ].join('. ');
  throw new AppError('HOSTS_IN_USE', message);
}

async function copyFile(from: string, to: string): Promise<void> {
  using source = new DatabaseSync(from, { readOnly: true });
  await backup(source, to);
  const copy = new DatabaseSync(to);
  copy.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; DROP TABLE replica');
  copy.close();
  const damage = await databaseDamage(to);
  if (damage !== undefined) throw new AppError('DATA_DAMAGED', `The copy ${to} is damaged: ${damage}`, { file: to });
}

function requireEmpty(
  { commitNumber, movingFrom, movedTo }: Awaited<ReturnType<typeof readMove>>,
  database: string,
): void {
  if (commitNumber === 0 && movingFrom === null && movedTo === null) return;
  throw notEmpty(database, movingFrom === null ? 'has data of its own' : `is being filled from ${movingFrom}`);
}

function notEmpty(database: string, reason: string): AppError {
  return new AppError('DATABASE_REFUSED', `The database ${database} ${reason}; only an empty one can be moved to`);
}

/** What the installation lacks, in chunks; in the same order each time. */
async function* missingRows(connection: Connection, db: DatabaseSync): AsyncGenerator<Changes> {
  const transcriptId = lastTranscriptId(db);
  const orders = { orders: [], finishedOrders: [] };
  const none = { removedRuns: [], events: [], blobs: [], attempts: [], transcript: [], ...orders, transcriptId };
  const max = (sql: string) =>
    connection.use(async (client) => (await client.query<{ last: number }>(sql)).rows[0]?.last ?? 0);
  const known = await connection.use(knownTexts);
  const blobs = db.prepare('SELECT hash, text FROM blobs ORDER BY rowid').iterate();
  const missing = filter(blobs, (row) => !known.has(textOf(row, 'hash')));
  for (const rows of chunks(missing, CHUNK_TEXTS)) yield { ...none, blobs: rows };
  const events = db.prepare('SELECT * FROM events WHERE position > ? ORDER BY position');
  const position = await max('SELECT max(position) AS last FROM manyhands.events');
  for (const rows of chunks(events.iterate(position), CHUNK_ROWS)) yield { ...none, events: rows };
  const transcript = db.prepare(`
    SELECT transcript.*, attempts.attempt AS name FROM transcript JOIN attempts ON attempts.id = transcript.attempt
    WHERE transcript.id > ? ORDER BY transcript.id`);
  const id = await max('SELECT max(id) AS last FROM manyhands.transcript');
  for (const rows of chunks(transcript.iterate(id), CHUNK_ROWS)) yield { ...none, transcript: rows };
  const attempts = db.prepare(`
    SELECT attempt, usage, (
      SELECT json_group_array(json_array(file, generation, offset, row_generation, row_offset, row_part))
      FROM cursors WHERE cursors.attempt = attempts.id
    ) AS cursors FROM attempts ORDER BY id`);
  for (const rows of chunks(attempts.iterate(), CHUNK_ROWS)) yield { ...none, attempts: rows };
}

async function knownTexts(client: ClientBase): Promise<Set<string>> {
  return new Set(
    (await client.query<{ hash: string }>('SELECT hash FROM manyhands.blobs')).rows.map(({ hash }) => hash),
  );
}

/** Whether the installation has the last event of every stream with its hash, which covers the events before it, and every text and row. */
async function isContained(connection: Connection, db: DatabaseSync): Promise<boolean> {
  const heads = db.prepare('SELECT stream, version, head FROM streams').all();
  const counts = countRows(db);
  const found = await connection.use(async (client) => {
    const { rows } = await client.query<{ heads: number; texts: number; transcript: number }>(
      `SELECT (
         SELECT count(*) FROM manyhands.events
         JOIN unnest($1::text[], $2::bigint[], $3::text[]) AS head (stream, version, hash) USING (stream, version, hash)
       ) AS heads,
       (SELECT count(*) FROM manyhands.blobs) AS texts,
       (SELECT count(*) FROM manyhands.transcript) AS transcript`,
      [
        heads.map((row) => textOf(row, 'stream')),
        heads.map((row) => integerOf(row, 'version')),
        heads.map((row) => textOf(row, 'head')),
      ],
    );
    return rows[0];
  });
  return found?.heads === heads.length && found.texts >= counts.texts && found.transcript >= counts.transcriptRows;
}

function countRows(db: DatabaseSync): MovedRows {
  const count = (sql: string) => integerOf(db.prepare(sql).get() ?? {}, 'n');
  return {
    runs: count("SELECT count(*) AS n FROM streams WHERE stream LIKE 'run/%'"),
    events: count('SELECT count(*) AS n FROM events'),
    texts: count('SELECT count(*) AS n FROM blobs'),
    transcriptRows: count('SELECT count(*) AS n FROM transcript'),
  };
}

function* filter(rows: Iterable<Row>, isIncluded: (row: Row) => boolean): Generator<Row> {
  for (const row of rows) if (isIncluded(row)) yield row;
}

function* chunks(rows: Iterable<Row>, size: number): Generator<Row[]> {
  let chunk: Row[] = [];
  for (const row of rows) {
    chunk.push(row);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
