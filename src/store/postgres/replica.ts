import type { DatabaseSync } from 'node:sqlite';
import type { ClientBase } from 'pg';
import { AppError } from '../../errors.ts';
import { prepareAttempts } from '../sqlite/attempts.ts';
import { integerOf, textOf } from '../sqlite/columns.ts';
import { prepareRunRows } from '../sqlite/run-rows.ts';
import { prepareIndex } from '../sqlite/search.ts';
import { prepareRowCount } from '../sqlite/transcript.ts';
import { lastTranscriptId } from './changes.ts';

/** How far a local file is a copy of an installation; `term` identifies the history in which it was copied. */
export type ReplicaState = { installation: string; epoch: number; term: string; commitNumber: number };

/** The local file has another history than the database: it must be made again. */
export class ReplicaDiverged extends Error {}

type EventRow = {
  position: number;
  stream: string;
  version: number;
  at: number;
  type: string;
  data: string;
  origin: string | null;
  hash: string;
};
type TranscriptRow = {
  id: number;
  attempt: string;
  file: string;
  generation: number;
  start: number;
  part: number;
  at: number;
  kind: string;
  text: Buffer;
  data: string | null;
};
type AttemptRow = { attempt: string; usage: string | null; cursors: string };
type InstallationRow = {
  id: string;
  commit_number: number;
  transcript_id: number;
  reading_since: number;
  epoch: number;
  term: string | null;
};

/** Rows that are held in memory at once; blobs are whole prompts. */
const PAGE_ROWS = 2_000;
const PAGE_BLOBS = 100;

/** Creates the table that says how far the file is a copy. */
export function prepareReplica(db: DatabaseSync): void {
  db.exec(`CREATE TABLE IF NOT EXISTS replica (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    installation TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    term TEXT NOT NULL,
    commit_number INTEGER NOT NULL
  ) STRICT`);
}

/** How far the file is a copy; undefined for a new one. */
function readReplica(db: DatabaseSync): ReplicaState | undefined {
  const row = db.prepare('SELECT * FROM replica').get();
  if (row === undefined) return undefined;
  return {
    installation: textOf(row, 'installation'),
    epoch: integerOf(row, 'epoch'),
    term: textOf(row, 'term'),
    commitNumber: integerOf(row, 'commit_number'),
  };
}

/** Records the number of a commit that this process wrote, in the transaction of the same changes. */
export function advanceReplica(db: DatabaseSync, commitNumber: number): void {
  db.prepare('UPDATE replica SET commit_number = ?').run(commitNumber);
}

/**
 * Copies what the database has and the file has not, as one transaction of both: all or nothing, and a state that the
 * database had at one time. Throws ReplicaDiverged if the file has what the database never had, or has no more.
 */
export async function pullChanges(client: ClientBase, db: DatabaseSync): Promise<ReplicaState> {
  db.exec('BEGIN IMMEDIATE');
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const installation = await readInstallation(client);
    const local = readReplica(db);
    if (local !== undefined) await requireSameHistory(client, local, installation);
    const from = local?.commitNumber ?? 0;
    if (installation.commit_number > from) await copyRows(client, db, from);
    await client.query('COMMIT');
    const state = {
      installation: installation.id,
      epoch: installation.epoch,
      term: installation.term ?? '',
      commitNumber: installation.commit_number,
    };
    saveReplica(db, state, installation);
    db.exec('COMMIT');
    return state;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

async function readInstallation(client: ClientBase): Promise<InstallationRow> {
  const { rows } = await client.query<InstallationRow>(
    `SELECT id, commit_number, transcript_id, reading_since, installation.epoch, terms.token AS term
     FROM manyhands.installation LEFT JOIN manyhands.terms USING (epoch)`,
  );
  const [row] = rows;
  if (row !== undefined) return row;
  throw new AppError('DATA_DAMAGED', 'The PostgreSQL database has no row about its installation');
}

/** A restored backup has fewer commits, or other terms, than the file; another installation has another id. */
async function requireSameHistory(
  client: ClientBase,
  local: ReplicaState,
  installation: InstallationRow,
): Promise<void> {
  if (local.installation !== installation.id || local.commitNumber > installation.commit_number)
    throw new ReplicaDiverged();
  if (local.term === '') return;
  const { rows } = await client.query(
    `SELECT 1 FROM manyhands.terms WHERE epoch = $1 AND token = $2
       AND NOT EXISTS (SELECT 1 FROM manyhands.terms WHERE epoch > $1 AND after_commit < $3)`,
    [local.epoch, local.term, local.commitNumber],
  );
  if (rows.length === 0) throw new ReplicaDiverged();
}

/** Removed runs first: what the database still has of them was stored again later. */
async function copyRows(client: ClientBase, db: DatabaseSync, from: number): Promise<void> {
  const index = prepareIndex(db);
  index();
  const removals = await client.query<{ run: string }>(
    'SELECT run FROM manyhands.removals WHERE commit_number > $1 ORDER BY commit_number',
    [from],
  );
  const removeRun = prepareRemoval(db);
  for (const { run } of removals.rows) removeRun(run);
  await copyBlobs(client, db, from);
  await copyEvents(client, db, from);
  await copyTranscripts(client, db, from);
  index();
}

function prepareRemoval(db: DatabaseSync) {
  const { deleteRun } = prepareRunRows(db);
  const select = db.prepare('SELECT coalesce(max(version), 0) AS version FROM events WHERE stream = ?');
  return (run: string): void => deleteRun(run, integerOf(select.get(`run/${run}`) ?? {}, 'version'));
}

async function copyBlobs(client: ClientBase, db: DatabaseSync, from: number): Promise<void> {
  const insert = db.prepare('INSERT INTO blobs (hash, text) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING');
  const sql = `SELECT hash, text FROM manyhands.blobs WHERE commit_number > $1 AND hash > $2 ORDER BY hash LIMIT ${PAGE_BLOBS}`;
  for (let after = ''; ; ) {
    const { rows } = await client.query<{ hash: string; text: Buffer }>(sql, [from, after]);
    for (const { hash, text } of rows) insert.run(hash, text.toString());
    if (rows.length < PAGE_BLOBS) return;
    after = rows.at(-1)?.hash ?? after;
  }
}

async function copyEvents(client: ClientBase, db: DatabaseSync, from: number): Promise<void> {
  const insert = db.prepare(
    'INSERT INTO events (position, stream, version, at, type, data, origin, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const advance = db.prepare(`
    INSERT INTO streams (stream, version, first_at, last_at, head) VALUES (?1, ?2, ?3, ?3, ?4)
    ON CONFLICT (stream) DO UPDATE SET version = excluded.version, last_at = excluded.last_at, head = excluded.head`);
  const sql = `SELECT position, stream, version, at, type, data, origin, hash FROM manyhands.events
    WHERE commit_number > $1 AND position > $2 ORDER BY position LIMIT ${PAGE_ROWS}`;
  for (let after = 0; ; ) {
    const { rows } = await client.query<EventRow>(sql, [from, after]);
    for (const { position, stream, version, at, type, data, origin, hash } of rows) {
      insert.run(position, stream, version, at, type, data, origin, hash);
      advance.run(stream, version, at, hash);
    }
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1)?.position ?? after;
  }
}

/** Ids are never used again, so that the rows that the file lacks are those above its highest id. */
async function copyTranscripts(client: ClientBase, db: DatabaseSync, from: number): Promise<void> {
  const attempts = prepareAttempts(db);
  const count = prepareRowCount(db);
  const insert = db.prepare(`
    INSERT INTO transcript (id, attempt, file, generation, offset, part, at, kind, text, data)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const sql = `SELECT * FROM manyhands.transcript WHERE id > $1 ORDER BY id LIMIT ${PAGE_ROWS}`;
  for (let after = lastTranscriptId(db); ; ) {
    const { rows } = await client.query<TranscriptRow>(sql, [after]);
    for (const { id, attempt: name, file, generation, start, part, at, kind, text, data } of rows) {
      const attempt = attempts.open(name);
      insert.run(id, attempt.id, file, generation, start, part, at, kind, text.toString(), data);
      count(attempt, id);
      attempts.saveRowCount(attempt);
    }
    if (rows.length < PAGE_ROWS) break;
    after = rows.at(-1)?.id ?? after;
  }
  await copyAttempts(client, db, from);
}

async function copyAttempts(client: ClientBase, db: DatabaseSync, from: number): Promise<void> {
  const attempts = prepareAttempts(db);
  const setUsage = db.prepare('UPDATE attempts SET usage = ? WHERE id = ?');
  const replace = db.prepare(`
    REPLACE INTO cursors (attempt, file, generation, offset, row_generation, row_offset, row_part)
    SELECT ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 FROM json_each(?)`);
  const sql = `SELECT attempt, usage, cursors FROM manyhands.attempts
    WHERE commit_number > $1 AND attempt > $2 ORDER BY attempt LIMIT ${PAGE_ROWS}`;
  for (let after = ''; ; ) {
    const { rows } = await client.query<AttemptRow>(sql, [from, after]);
    for (const { attempt, usage, cursors } of rows) {
      const { id } = attempts.open(attempt);
      setUsage.run(usage, id);
      replace.run(id, cursors);
    }
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1)?.attempt ?? after;
  }
}

function saveReplica(db: DatabaseSync, state: ReplicaState, { transcript_id, reading_since }: InstallationRow): void {
  db.prepare('REPLACE INTO replica VALUES (1, ?, ?, ?, ?)').run(
    state.installation,
    state.epoch,
    state.term,
    state.commitNumber,
  );
  db.prepare("UPDATE marks SET position = ? WHERE name = 'reading'").run(reading_since);
  const update = db.prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'transcript'");
  if (update.run(transcript_id).changes === 0)
    db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('transcript', ?)").run(transcript_id);
}
