import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findChainBreak } from '../../src/store/chain.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { realWorld } from '../../src/world.ts';
import { AT, row, withoutId } from '../contracts/store-samples.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'manyhands-upgrade-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a database of the version before pages', () => {
  it('is migrated: its rows are counted, and earlier events count as read', async () => {
    const file = join(folder, 'manyhands.db');
    const rows = Array.from({ length: 1_100 }, (_, position) => row('r-1-1', position));
    {
      await using store = await openSqliteStore({ file, world: realWorld });
      await store.append([{ stream: 'run/a', expected: 0, events: [{ type: 'a', data: 1 }] }], AT);
      await store.ingest({ attempt: 'r-1-1', rows, cursors: [] });
    }
    downgrade(file);
    await using store = await openSqliteStore({ file, world: realWorld });
    expect(store.readingSince()).toBe(1);
    expect(store.rowCount('r-1-1')).toBe(1_100);
    const all = store.transcript({ attempt: 'r-1-1', limit: 1_100 });
    expect(store.page({ attempt: 'r-1-1', offset: 1_050, limit: 2 })).toEqual(all.slice(1_050, 1_052));
    await store.ingest({ attempt: 'r-1-1', rows: [row('r-1-1', 5_000)], cursors: [] });
    expect(store.page({ attempt: 'r-1-1', offset: 1_100, limit: 2 })).toHaveLength(1);
  });

  it('finds words from before and after the migration', async () => {
    const file = join(folder, 'manyhands.db');
    {
      await using store = await openSqliteStore({ file, world: realWorld });
      await store.ingest({ attempt: 'r-1-1', rows: [{ ...row('r-1-1', 1), text: 'an early bird' }], cursors: [] });
    }
    downgrade(file);
    await using store = await openSqliteStore({ file, world: realWorld });
    await store.ingest({ attempt: 'r-1-1', rows: [{ ...row('r-1-1', 2), text: 'a late bird' }], cursors: [] });
    expect(store.search({ text: 'bird', limit: 9 }).map(({ excerpt }) => excerpt)).toEqual([
      'a late bird',
      'an early bird',
    ]);
  });
});

describe('a database of the version with an index of row positions', () => {
  it('continues where it stopped: stored rows are not stored again, ids continue, and later rows are new', async () => {
    const file = join(folder, 'manyhands.db');
    const [first, second] = [row('r-1-1', 0), row('r-1-1', 10)];
    const [shrunk, errorRow] = [
      { ...row('r-1-1', 5), generation: 1 },
      { ...row('r-1-1', 7), file: 'stderr' as const },
    ];
    const engineRow = { ...row('r-1-1', 3), file: 'engine' as const };
    const before = [engineRow, first, second, shrunk, errorRow];
    {
      await using store = await openSqliteStore({ file, world: realWorld });
      await store.ingest({ attempt: 'r-1-1', rows: before, cursors: [{ file: 'stdout', offset: 9, generation: 1 }] });
      await store.ingest({ attempt: 'r-2-1', rows: [row('r-2-1', 0)], cursors: [] });
    }
    downgrade(file);
    await using store = await openSqliteStore({ file, world: realWorld });
    expect(store.cursor('r-1-1', 'stdout')).toBe(9);
    expect(store.generation('r-1-1', 'stdout')).toBe(1);
    const after = [
      { ...shrunk, offset: 9 },
      { ...errorRow, offset: 8 },
      { ...engineRow, offset: 4 },
    ];
    await store.ingest({ attempt: 'r-1-1', rows: [...before, ...after], cursors: [] });
    const stored = store.transcript({ attempt: 'r-1-1', limit: 99 });
    expect(stored.map(withoutId)).toEqual([...before, ...after]);
    expect(stored.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 7, 8, 9]);
    expect(store.search({ text: 'line', limit: 99 })).toHaveLength(9);
  });

  it('never reuses the id of a deleted row', async () => {
    const file = join(folder, 'manyhands.db');
    {
      await using store = await openSqliteStore({ file, world: realWorld });
      await store.append([{ stream: 'run/r', expected: 0, events: [{ type: 'a', data: 1 }] }], AT);
      await store.ingest({ attempt: 'r-1-1', rows: [row('r-1-1', 0), row('r-1-1', 1)], cursors: [] });
      await store.deleteRun('r', 1);
    }
    downgrade(file);
    await using store = await openSqliteStore({ file, world: realWorld });
    await store.ingest({ attempt: 's-1-1', rows: [row('s-1-1', 0)], cursors: [] });
    expect(store.transcript({ attempt: 's-1-1', limit: 9 }).map(({ id }) => id)).toEqual([3]);
  });
});

describe('a database of the version before hash chains', () => {
  it('gets the chain of every stream, as if its events were appended now', async () => {
    const file = join(folder, 'manyhands.db');
    const events = [
      { type: 'a', data: { text: 'ü' } },
      { type: 'b', data: null },
    ];
    const origin = { actor: { kind: 'person', name: 'ada' }, via: 'cli' } as const;
    let heads: unknown[];
    {
      await using store = await openSqliteStore({ file, world: realWorld });
      await store.append([{ stream: 'run/a', expected: 0, events, origin }], AT);
      await store.append([{ stream: 'run/b', expected: 0, events }], AT);
      await store.append([{ stream: 'run/a', expected: 2, events: events.slice(0, 1) }], AT + 1);
      heads = [store.head('run/a'), store.head('run/b')];
    }
    const db = new DatabaseSync(file);
    db.exec(`ALTER TABLE events DROP COLUMN hash; ALTER TABLE streams DROP COLUMN head; PRAGMA user_version = 6`);
    db.close();
    await using store = await openSqliteStore({ file, world: realWorld });
    expect([store.head('run/a'), store.head('run/b')]).toEqual(heads);
    await store.append([{ stream: 'run/a', expected: 3, events }], AT + 2);
    expect(findChainBreak(store.chain('run/a'), store.head('run/a'))).toBeUndefined();
  });
});

/** Makes it a database of the second version. */
function downgrade(file: string): void {
  const db = new DatabaseSync(file);
  db.exec(`
    ALTER TABLE events DROP COLUMN hash; ALTER TABLE streams DROP COLUMN head;
    ALTER TABLE events DROP COLUMN origin;
    DROP TABLE pages; DROP TABLE marks; DROP INDEX tasks_added;
    ALTER TABLE attempts DROP COLUMN row_count;
    DELETE FROM cursors WHERE file = 'engine';
    ALTER TABLE cursors DROP COLUMN row_generation;
    ALTER TABLE cursors DROP COLUMN row_offset;
    ALTER TABLE cursors DROP COLUMN row_part;
    CREATE TABLE old (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      attempt INTEGER NOT NULL REFERENCES attempts (id),
      file TEXT NOT NULL, generation INTEGER NOT NULL, offset INTEGER NOT NULL, part INTEGER NOT NULL,
      at INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, data TEXT,
      UNIQUE (attempt, file, generation, offset, part)
    ) STRICT;
    INSERT INTO old SELECT * FROM transcript;
    DELETE FROM sqlite_sequence WHERE name = 'old';
    INSERT INTO sqlite_sequence (name, seq) SELECT 'old', seq FROM sqlite_sequence WHERE name = 'transcript';
    DROP TABLE transcript;
    ALTER TABLE old RENAME TO transcript;
    CREATE INDEX transcript_by_attempt ON transcript (attempt, id);
    CREATE TRIGGER transcript_added AFTER INSERT ON transcript BEGIN
      INSERT INTO transcript_words (rowid, text) VALUES (new.id, new.text);
    END;
    CREATE TRIGGER transcript_removed AFTER DELETE ON transcript BEGIN
      INSERT INTO transcript_words (transcript_words, rowid, text) VALUES ('delete', old.id, old.text);
    END;
    PRAGMA user_version = 2`);
  db.close();
}
