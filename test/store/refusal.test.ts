import { chmod, mkdir, mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { realWorld } from '../../src/world.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'manyhands-refusal-'));
  file = join(folder, 'data', 'manyhands.db');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('Opening a database', () => {
  it('of a newer version is refused with DATA_NEWER, and the file is unchanged', async () => {
    await fillAndClose();
    editDatabase('PRAGMA user_version = 999');
    const before = await readFile(file);
    await expect(openStore()).rejects.toMatchObject({ code: 'DATA_NEWER', details: { version: 999 } });
    expect((await readFile(file)).equals(before)).toBe(true);
  });

  it('that is not a database is refused with DATA_DAMAGED, and the file is unchanged', async () => {
    await mkdir(join(folder, 'data'));
    await writeFile(file, 'This is a letter to my aunt. '.repeat(400));
    await expect(openStore()).rejects.toMatchObject({ code: 'DATA_DAMAGED' });
    expect(await readFile(file, 'utf8')).toMatch(/^This is a letter/);
  });

  it('of another program is refused with DATA_DAMAGED', async () => {
    await mkdir(join(folder, 'data'));
    editDatabase('CREATE TABLE letters (text TEXT)');
    await expect(openStore()).rejects.toMatchObject({ code: 'DATA_DAMAGED' });
    editDatabase('PRAGMA user_version = 1');
    await expect(openStore()).rejects.toMatchObject({ code: 'DATA_DAMAGED' });
  });

  it('whose schema was overwritten is refused with DATA_DAMAGED', async () => {
    await fillAndClose();
    await overwrite(100, 3_996);
    await expect(openStore()).rejects.toMatchObject({ code: 'DATA_DAMAGED' });
  });

  it('whose later pages were overwritten fails the reading with DATA_DAMAGED', async () => {
    await fillAndClose();
    await overwrite(4_096, (await stat(file)).size - 4_096);
    const read = async () => {
      await using store = await openStore();
      return store.readAll(0, 1_000);
    };
    await expect(read()).rejects.toMatchObject({ code: 'DATA_DAMAGED' });
  });

  it.each(['events', 'streams', 'snapshots', 'blobs', 'attempts', 'cursors', 'transcript', 'pages', 'marks'])(
    'that lacks the table %s is refused with DATA_DAMAGED',
    async (table) => {
      await fillAndClose();
      editDatabase(`PRAGMA foreign_keys = OFF; DROP TABLE ${table}`);
      await expect(openStore()).rejects.toMatchObject({ code: 'DATA_DAMAGED' });
    },
  );

  it('at a path that cannot be a folder fails with the reason', async () => {
    await writeFile(join(folder, 'data'), '');
    await expect(openStore()).rejects.toThrow(/EEXIST|ENOTDIR/);
  });
});

describe('The files of a store', () => {
  it('are private, also when they were not before', async () => {
    await fillAndClose();
    await chmod(file, 0o644);
    await using store = await openStore();
    await store.putBlob('secret');
    const modes = await Promise.all([join(folder, 'data'), file, `${file}-wal`, `${file}-shm`].map(modeOf));
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
  });

  it('are one file when the store is closed: the log is merged into the database', async () => {
    await fillAndClose();
    await expect(stat(`${file}-wal`)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('A store that another program has locked', () => {
  it('rejects with ENGINE_BUSY and works again afterwards', async () => {
    await using store = await openSqliteStore({ file, world: realWorld, busyTimeoutMs: 50 });
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    await expect(append(store)).rejects.toMatchObject({ code: 'ENGINE_BUSY' });
    other.exec('ROLLBACK');
    other.close();
    await expect(append(store)).resolves.toHaveLength(1);
  });
});

function openStore(): Promise<Store> {
  return openSqliteStore({ file, world: realWorld });
}

function append(store: Store) {
  return store.append([{ stream: 's', expected: -1, events: [{ type: 'x', data: 'y'.repeat(500) }] }], 0);
}

async function fillAndClose(): Promise<void> {
  await using store = await openStore();
  for (let n = 0; n < 50; n++) await append(store);
}

function editDatabase(sql: string): void {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
}

async function overwrite(from: number, length: number): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.write(Buffer.alloc(length, 0xa5), 0, length, from);
  await handle.close();
}

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}
