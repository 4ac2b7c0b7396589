import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { realWorld } from '../../src/world.ts';
import { AT, row } from '../contracts/store-samples.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'manyhands-upgrade-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a database of the version before pages', () => {
  it('is brought up to date: its rows are counted, and what happened before counts as read', async () => {
    const file = join(folder, 'manyhands.db');
    const rows = Array.from({ length: 1_100 }, (_, place) => row('r-1-1', place));
    {
      await using store = await openSqliteStore({ file, world: realWorld });
      await store.append([{ stream: 'run/a', expected: 0, events: [{ type: 'a', data: 1 }] }], AT);
      await store.ingest({ attempt: 'r-1-1', rows, cursors: [] });
    }
    takeBack(file);
    await using store = await openSqliteStore({ file, world: realWorld });
    expect(store.readingSince()).toBe(1);
    expect(store.rowCount('r-1-1')).toBe(1_100);
    const all = store.transcript({ attempt: 'r-1-1', limit: 1_100 });
    expect(store.page({ attempt: 'r-1-1', offset: 1_050, limit: 2 })).toEqual(all.slice(1_050, 1_052));
    await store.ingest({ attempt: 'r-1-1', rows: [row('r-1-1', 5_000)], cursors: [] });
    expect(store.page({ attempt: 'r-1-1', offset: 1_100, limit: 2 })).toHaveLength(1);
  });

  it('finds words that were said before and after', async () => {
    const file = join(folder, 'manyhands.db');
    {
      await using store = await openSqliteStore({ file, world: realWorld });
      await store.ingest({ attempt: 'r-1-1', rows: [{ ...row('r-1-1', 1), text: 'an early bird' }], cursors: [] });
    }
    takeBack(file);
    await using store = await openSqliteStore({ file, world: realWorld });
    await store.ingest({ attempt: 'r-1-1', rows: [{ ...row('r-1-1', 2), text: 'a late bird' }], cursors: [] });
    expect(store.search({ text: 'bird', limit: 9 }).map(({ excerpt }) => excerpt)).toEqual([
      'a late bird',
      'an early bird',
    ]);
  });
});

function takeBack(file: string): void {
  const db = new DatabaseSync(file);
  db.exec(`
    DROP TABLE pages; DROP TABLE marks; DROP INDEX tasks_added;
    ALTER TABLE attempts DROP COLUMN row_count;
    CREATE TRIGGER transcript_added AFTER INSERT ON transcript BEGIN
      INSERT INTO transcript_words (rowid, text) VALUES (new.id, new.text);
    END;
    PRAGMA user_version = 2`);
  db.close();
}
