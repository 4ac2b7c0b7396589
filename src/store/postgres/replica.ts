import type { DatabaseSync } from 'node:sqlite';
import type { ClientBase } from 'pg';
import { AppError } from '../../errors.ts';
import { prepareAttempts } from '../sqlite/attempts.ts';
import { integerOf, textOf } from '../sqlite/columns.ts';
import { prepareRunRows } from '../sqlite/run-rows.ts';
import { prepareIndex } from '../sqlite/search.ts';
import { prepareRowCount } from '../sqlite/transcript.ts';
import { lastTranscriptId } from './changes.ts';

/** The positions of the events that were copied, and the id after which rows of transcripts are new. */
export type Pulled = { positions: readonly number[]; afterRow: number };

/** How far a local file is a copy of an installation; `term` identifies the history in which it was copied. */
type ReplicaState = { installation: string; epoch: number; term: string; commitNumber: number };

/** The local file has another history than the database: it must be made again. */
export class ReplicaDiverged extends Error {}

type EventRow = {
  key: number;
  stream: string;
  version: number;
  at: number;
  type: string;
  data: string;
  origin: string | null;
  hash: string;
};
type TranscriptRow = {
  key: number;
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
type AttemptRow = { key: string; usage: string | null; cursors: string };
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
const NOTHING: Pulled = { positions: [], afterRow: Number.MAX_SAFE_INTEGER };

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
export function prepareAdvance(db: DatabaseSync): (commitNumber: number) => void {
  const update = db.prepare('UPDATE replica SET commit_number = ?');
  return (commitNumber) => void update.run(commitNumber);
}

/**
 * Copies what the database has and the file has not, as one transaction of both: all or nothing, and a state that the
 * database had at one time. Few rows are read before the file is locked, so that others hardly wait for it. Throws
 * ReplicaDiverged if the file has what the database never had, or has no more.
 */
export async function pullChanges(client: ClientBase, db: DatabaseSync): Promise<Pulled> {
  for (;;) {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const installation = await readInstallation(client);
    const local = readReplica(db);
    if (local !== undefined) await requireSameHistory(client, local, installation);
    const isCurrent = local?.commitNumber === installation.commit_number && local.term === (installation.term ?? '');
    const pulled = isCurrent ? NOTHING : await copy(client, db, installation);
    await client.query('COMMIT');
    if (pulled !== undefined) return pulled;
  }
}

/** Undefined if another process changed the file since it was examined. */
async function copy(client: ClientBase, db: DatabaseSync, installation: InstallationRow): Promise<Pulled | undefined> {
  const before = readReplica(db);
  const from = before?.commitNumber ?? 0;
  const afterRow = lastTranscriptId(db);
  const pages = await openPages(client, from, afterRow);
  db.exec('BEGIN IMMEDIATE');
  try {
    if (readReplica(db)?.commitNumber !== before?.commitNumber) {
      db.exec('ROLLBACK');
      return undefined;
    }
    const positions = await copyRows(db, pages);
    saveReplica(db, installation);
    db.exec('COMMIT');
    return { positions, afterRow };
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

type Pages = Awaited<ReturnType<typeof openPages>>;

/** The rows that the file lacks, of each table. Ids of transcripts are never used again: those are the rows above its highest id. */
async function openPages(client: ClientBase, from: number, afterRow: number) {
  return {
    removals: await Paged.open<{ run: string; key: number }>(
      client,
      `SELECT run, (row_number() OVER (ORDER BY commit_number, run)) AS key FROM manyhands.removals WHERE commit_number > $1`,
      { values: [from], after: 0 },
    ),
    blobs: await Paged.open<{ hash: string; text: Buffer; key: string }>(
      client,
      'SELECT hash, text, hash AS key FROM manyhands.blobs WHERE commit_number > $1',
      { values: [from], after: '', limit: PAGE_BLOBS },
    ),
    events: await Paged.open<EventRow>(
      client,
      `SELECT position AS key, stream, version, at, type, data, origin, hash FROM manyhands.events
       WHERE commit_number > $1`,
      { values: [from], after: 0 },
    ),
    transcript: await Paged.open<TranscriptRow>(
      client,
      `SELECT id AS key, attempt, file, generation, start, part, at, kind, text, data FROM manyhands.transcript
       WHERE id > $1`,
      { values: [afterRow], after: 0 },
    ),
    attempts: await Paged.open<AttemptRow>(
      client,
      'SELECT attempt AS key, usage, cursors FROM manyhands.attempts WHERE commit_number > $1',
      { values: [from], after: '' },
    ),
  };
}

/** The rows of a statement in the order of their `key`, page by page; the first page is read at once. */
class Paged<T extends { key: string | number }> {
  readonly #read: (after: string | number) => Promise<T[]>;
  readonly #limit: number;
  readonly #first: T[];

  private constructor(read: (after: string | number) => Promise<T[]>, limit: number, first: T[]) {
    this.#read = read;
    this.#limit = limit;
    this.#first = first;
  }

  static async open<T extends { key: string | number }>(
    client: ClientBase,
    sql: string,
    { values, after, limit = PAGE_ROWS }: { values: unknown[]; after: string | number; limit?: number },
  ): Promise<Paged<T>> {
    const place = values.length + 1;
    const text = `SELECT * FROM (${sql}) AS found WHERE key > $${place} ORDER BY key LIMIT ${limit}`;
    const read = async (key: string | number) => (await client.query<T>(text, [...values, key])).rows;
    return new Paged(read, limit, await read(after));
  }

  async each(apply: (row: T) => void): Promise<void> {
    for (let rows = this.#first; ; ) {
      for (const row of rows) apply(row);
      const last = rows.at(-1);
      if (last === undefined || rows.length < this.#limit) return;
      rows = await this.#read(last.key);
    }
  }
}

/** Removed runs first: what the database still has of them was stored again later. Returns the positions of the copied events. */
async function copyRows(db: DatabaseSync, pages: Pages): Promise<number[]> {
  const index = prepareIndex(db);
  index();
  await pages.removals.each(prepareRemoval(db));
  await pages.blobs.each(prepareBlob(db));
  const positions: number[] = [];
  const addEvent = prepareEvent(db);
  await pages.events.each((row) => {
    addEvent(row);
    positions.push(row.key);
  });
  const attempts = prepareAttempts(db);
  await pages.transcript.each(prepareRow(db, attempts));
  await pages.attempts.each(prepareAttempt(db, attempts));
  index();
  return positions;
}

function prepareRemoval(db: DatabaseSync) {
  const { deleteRun } = prepareRunRows(db);
  const select = db.prepare('SELECT coalesce(max(version), 0) AS version FROM events WHERE stream = ?');
  return ({ run }: { run: string }): void => deleteRun(run, integerOf(select.get(`run/${run}`) ?? {}, 'version'));
}

function prepareBlob(db: DatabaseSync) {
  const insert = db.prepare('INSERT INTO blobs (hash, text) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING');
  return ({ hash, text }: { hash: string; text: Buffer }): void => {
    insert.run(hash, text.toString());
  };
}

function prepareEvent(db: DatabaseSync) {
  const insert = db.prepare(
    'INSERT INTO events (position, stream, version, at, type, data, origin, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const advance = db.prepare(`
    INSERT INTO streams (stream, version, first_at, last_at, head) VALUES (?1, ?2, ?3, ?3, ?4)
    ON CONFLICT (stream) DO UPDATE SET version = excluded.version, last_at = excluded.last_at, head = excluded.head`);
  return ({ key, stream, version, at, type, data, origin, hash }: EventRow): void => {
    insert.run(key, stream, version, at, type, data, origin, hash);
    advance.run(stream, version, at, hash);
  };
}

function prepareRow(db: DatabaseSync, attempts: ReturnType<typeof prepareAttempts>) {
  const count = prepareRowCount(db);
  const insert = db.prepare(`
    INSERT INTO transcript (id, attempt, file, generation, offset, part, at, kind, text, data)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  return ({ key, attempt: name, file, generation, start, part, at, kind, text, data }: TranscriptRow): void => {
    const attempt = attempts.open(name);
    insert.run(key, attempt.id, file, generation, start, part, at, kind, text.toString(), data);
    count(attempt, key);
    attempts.saveRowCount(attempt);
  };
}

function prepareAttempt(db: DatabaseSync, attempts: ReturnType<typeof prepareAttempts>) {
  const setUsage = db.prepare('UPDATE attempts SET usage = ? WHERE id = ?');
  const replace = db.prepare(`
    REPLACE INTO cursors (attempt, file, generation, offset, row_generation, row_offset, row_part)
    SELECT ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 FROM json_each(?)`);
  return ({ key, usage, cursors }: AttemptRow): void => {
    const { id } = attempts.open(key);
    setUsage.run(usage, id);
    replace.run(id, cursors);
  };
}

function saveReplica(db: DatabaseSync, installation: InstallationRow): void {
  const { id, epoch, term, commit_number, transcript_id, reading_since } = installation;
  db.prepare('REPLACE INTO replica VALUES (1, ?, ?, ?, ?)').run(id, epoch, term ?? '', commit_number);
  db.prepare("UPDATE marks SET position = ? WHERE name = 'reading'").run(reading_since);
  const update = db.prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'transcript'");
  if (update.run(transcript_id).changes === 0)
    db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('transcript', ?)").run(transcript_id);
}
