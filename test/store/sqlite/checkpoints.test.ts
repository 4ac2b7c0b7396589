import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCheckpoints } from '../../../src/store/sqlite/checkpoints.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import { realWorld } from '../../../src/world.ts';
import { row } from '../../contracts/store-samples.ts';

const MB = 1024 * 1024;
let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'manyhands-checkpoints-'));
  file = join(folder, 'manyhands.db');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the write-ahead log', () => {
  it('is checkpointed by a thread while commits continue, and stays bounded', async () => {
    await using store = await openSqliteStore({ file, world: realWorld });
    let largest = 0;
    for (let commit = 0; commit < 600; commit += 1) {
      const batches = Array.from({ length: 40 }, (_, agent) => {
        const attempt = `r-${agent}-1`;
        return store.ingest({ attempt, rows: [{ ...row(attempt, commit), text: 'x'.repeat(8_000) }], cursors: [] });
      });
      await Promise.all(batches);
      largest = Math.max(largest, statSync(`${file}-wal`).size);
    }
    expect(largest).toBeLessThan(250 * MB);
    expect(statSync(file).size).toBeGreaterThan(4 * MB);
    expect(store.rowCount('r-7-1')).toBe(600);
  });

  it('is removed when the store is closed, with all its content in the database', async () => {
    {
      await using store = await openSqliteStore({ file, world: realWorld });
      for (let commit = 0; commit < 400; commit += 1)
        await store.append([{ stream: 'run/a', expected: commit, events: [{ type: 'a', data: commit }] }], 1);
    }
    expect(existsSync(`${file}-wal`)).toBe(false);
    await using again = await openSqliteStore({ file, world: realWorld });
    expect(again.read('run/a')).toHaveLength(400);
  });
});

describe('checkpoints', () => {
  it('block commits only for the last part of a long log', async () => {
    using db = openPlain();
    let isReleased = false;
    const checkpoints = createCheckpoints(db, file, realWorld, () => {
      isReleased = true;
    });
    db.exec('PRAGMA wal_autocheckpoint = 0');
    const insert = db.prepare('INSERT INTO t VALUES (zeroblob(4000000))');
    for (let commit = 0; commit < 20; commit += 1) insert.run();
    for (let commit = 0; commit < 200; commit += 1) checkpoints.onCommit();
    expect(checkpoints.isBlocking()).toBe(false);
    await expect.poll(() => isReleased, { timeout: 30_000 }).toBe(true);
    expect(checkpoints.isBlocking()).toBe(false);
    expect(db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()).toMatchObject({ busy: 0 });
    expect(statSync(file).size).toBeGreaterThan(80_000_000);
    await checkpoints.close();
  });

  it('run in the committing thread when their own thread fails', async () => {
    using db = openPlain();
    const checkpoints = createCheckpoints(db, join(folder, 'gone', 'manyhands.db'), realWorld, () => {});
    for (let commit = 0; commit < 300; commit += 1) checkpoints.onCommit();
    const bound = () => db.prepare('PRAGMA wal_autocheckpoint').get()?.wal_autocheckpoint;
    expect(bound()).toBe(48_000);
    await expect.poll(bound).toBe(1_000);
    for (let commit = 0; commit < 300; commit += 1) checkpoints.onCommit();
    expect(checkpoints.isBlocking()).toBe(false);
    await checkpoints.close();
  });
});

function openPlain(): DatabaseSync & Disposable {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (data BLOB)');
  return db;
}
