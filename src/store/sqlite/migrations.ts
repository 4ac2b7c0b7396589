import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import { crashpoint } from '../../world.ts';
import { eventHash, NO_EVENT } from '../chain.ts';
import { integerOf, textOf } from './columns.ts';
import { chainedEvents } from './events.ts';

/** Marks the file as ours in SQLite's header: "MHND". */
const APPLICATION_ID = 0x4d484e44;

/** The tables that the migrations make. */
const TABLES = ['events', 'streams', 'snapshots', 'blobs', 'attempts', 'cursors', 'transcript', 'pages', 'marks'];

/** Numbered from 1 by position; a released one is never edited. */
const MIGRATIONS: readonly (string | ((db: DatabaseSync) => void))[] = [
  `
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    UNIQUE (stream, version)
  ) STRICT;

  CREATE TABLE streams (
    stream TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE snapshots (
    stream TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    codec TEXT NOT NULL,
    state TEXT NOT NULL
  ) STRICT;

  CREATE TABLE blobs (
    hash TEXT PRIMARY KEY,
    text TEXT NOT NULL
  ) STRICT;
  `,
  `
  CREATE TABLE attempts (
    id INTEGER PRIMARY KEY,
    attempt TEXT NOT NULL UNIQUE,
    usage TEXT
  ) STRICT;

  CREATE TABLE cursors (
    attempt INTEGER NOT NULL REFERENCES attempts (id),
    file TEXT NOT NULL,
    generation INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    PRIMARY KEY (attempt, file)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE transcript (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    attempt INTEGER NOT NULL REFERENCES attempts (id),
    file TEXT NOT NULL,
    generation INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    part INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    data TEXT,
    UNIQUE (attempt, file, generation, offset, part)
  ) STRICT;

  CREATE INDEX transcript_by_attempt ON transcript (attempt, id);

  CREATE VIRTUAL TABLE transcript_words USING fts5 (text, content = 'transcript', content_rowid = 'id');

  CREATE TRIGGER transcript_added AFTER INSERT ON transcript BEGIN
    INSERT INTO transcript_words (rowid, text) VALUES (new.id, new.text);
  END;

  CREATE TRIGGER transcript_removed AFTER DELETE ON transcript BEGIN
    INSERT INTO transcript_words (transcript_words, rowid, text) VALUES ('delete', old.id, old.text);
  END;
  `,
  `
  ALTER TABLE attempts ADD COLUMN row_count INTEGER NOT NULL DEFAULT 0;
  UPDATE attempts SET row_count = (SELECT count(*) FROM transcript WHERE transcript.attempt = attempts.id);

  CREATE TABLE pages (
    attempt INTEGER NOT NULL REFERENCES attempts (id),
    page INTEGER NOT NULL,
    first_id INTEGER NOT NULL,
    PRIMARY KEY (attempt, page)
  ) STRICT, WITHOUT ROWID;

  INSERT INTO pages (attempt, page, first_id)
    SELECT attempt, (place - 1) / 512, id FROM (
      SELECT attempt, id, row_number() OVER (PARTITION BY attempt ORDER BY id) AS place FROM transcript
    ) WHERE (place - 1) % 512 = 0;

  CREATE INDEX tasks_added ON events (position, stream) WHERE type = 'tasks.added';

  CREATE TABLE marks (
    name TEXT PRIMARY KEY,
    position INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  INSERT INTO marks (name, position) SELECT 'reading', coalesce(max(position), 0) FROM events;
  `,
  `
  DROP TRIGGER transcript_added;
  `,
  `
  ALTER TABLE cursors ADD COLUMN row_generation INTEGER NOT NULL DEFAULT -1;
  ALTER TABLE cursors ADD COLUMN row_offset INTEGER NOT NULL DEFAULT -1;
  ALTER TABLE cursors ADD COLUMN row_part INTEGER NOT NULL DEFAULT -1;

  INSERT INTO cursors (attempt, file, generation, offset, row_generation, row_offset, row_part)
    SELECT attempt, file, 0, 0, generation, offset, part FROM (
      SELECT attempt, file, generation, offset, part,
        row_number() OVER (PARTITION BY attempt, file ORDER BY generation DESC, offset DESC, part DESC) AS place
      FROM transcript
    ) WHERE place = 1
  ON CONFLICT (attempt, file) DO UPDATE SET
    row_generation = excluded.row_generation, row_offset = excluded.row_offset, row_part = excluded.row_part;

  CREATE TABLE said (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    attempt INTEGER NOT NULL REFERENCES attempts (id),
    file TEXT NOT NULL,
    generation INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    part INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    data TEXT
  ) STRICT;

  INSERT INTO said SELECT * FROM transcript;
  DELETE FROM sqlite_sequence WHERE name = 'said';
  INSERT INTO sqlite_sequence (name, seq) SELECT 'said', seq FROM sqlite_sequence WHERE name = 'transcript';
  DROP TABLE transcript;
  ALTER TABLE said RENAME TO transcript;

  CREATE INDEX transcript_by_attempt ON transcript (attempt, id);

  CREATE TRIGGER transcript_removed AFTER DELETE ON transcript BEGIN
    INSERT INTO transcript_words (transcript_words, rowid, text) VALUES ('delete', old.id, old.text);
  END;
  `,
  `
  ALTER TABLE events ADD COLUMN origin TEXT;
  `,
  chainEvents,
];

/** Gives every event its hash and every stream its head. What was altered before cannot be known any more. */
function chainEvents(db: DatabaseSync): void {
  db.exec("ALTER TABLE events ADD COLUMN hash TEXT; ALTER TABLE streams ADD COLUMN head TEXT NOT NULL DEFAULT ''");
  const select = db.prepare('SELECT * FROM events WHERE stream = ? ORDER BY version');
  const setHash = db.prepare('UPDATE events SET hash = ? WHERE stream = ? AND version = ?');
  const setHead = db.prepare('UPDATE streams SET head = ? WHERE stream = ?');
  for (const row of db.prepare('SELECT stream FROM streams').all()) {
    const stream = textOf(row, 'stream');
    let head = NO_EVENT;
    for (const { hash: _, ...event } of chainedEvents(select.all(stream))) {
      head = eventHash(head, event);
      setHash.run(head, stream, event.version);
    }
    setHead.run(head, stream);
  }
}

/** Refuses a database of a newer version, and one that is not ours, before anything is written to it. */
export function requireKnownVersion(db: DatabaseSync, file: string): void {
  const version = readVersion(db);
  if (version > MIGRATIONS.length) {
    const message = `The database ${file} has version ${version}; this program supports versions up to ${MIGRATIONS.length}`;
    throw new AppError('DATA_NEWER', message, { file, version, known: MIGRATIONS.length });
  }
  if (version === 0 ? hasTables(db) : readApplicationId(db) !== APPLICATION_ID) {
    throw new AppError('DATA_DAMAGED', `The file ${file} is a database of another program`, { file });
  }
}

/** The version of a database file and the newest one that this program supports; the file is not changed. */
export function storedVersion(file: string): { version: number; supported: number } {
  using db = new DatabaseSync(file, { readOnly: true });
  return { version: readVersion(db), supported: MIGRATIONS.length };
}

/**
 * Migrates the database to this program's version; each step and its number are one transaction, so an interrupted one is
 * repeated. Fails where a table is missing.
 */
export function migrate(db: DatabaseSync): void {
  for (let version = readVersion(db); version < MIGRATIONS.length; version = readVersion(db)) {
    crashpoint('store.migrating');
    applyMigration(db, version);
    crashpoint('store.migrated');
  }
  db.prepare(`SELECT 1 FROM ${TABLES.join(', ')} LIMIT 0`);
}

function applyMigration(db: DatabaseSync, from: number): void {
  const next = MIGRATIONS[from];
  db.exec('BEGIN IMMEDIATE');
  try {
    if (next !== undefined && readVersion(db) === from) {
      if (typeof next === 'string') db.exec(next);
      else next(db);
      crashpoint('store.migration-written');
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      db.exec(`PRAGMA user_version = ${from + 1}`);
    }
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function readVersion(db: DatabaseSync): number {
  return integerOf(db.prepare('PRAGMA user_version').get() ?? {}, 'user_version');
}

function readApplicationId(db: DatabaseSync): number {
  return integerOf(db.prepare('PRAGMA application_id').get() ?? {}, 'application_id');
}

function hasTables(db: DatabaseSync): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;
}
