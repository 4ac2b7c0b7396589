import { existsSync, renameSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import type { World } from '../../world.ts';
import { createStore, openDatabase } from '../sqlite/open.ts';
import { fromSqliteError } from '../sqlite/sqlite-error.ts';
import type { Store } from '../store.ts';
import { type ChangeCollector, collectChanges } from './changes.ts';
import { Connection } from './connection.ts';
import { Leadership } from './leadership.ts';
import { createSharedCommit } from './postgres-commit.ts';
import { prepareReplica, pullChanges, ReplicaDiverged } from './replica.ts';
import { migrateSchema } from './schema.ts';
import type { Candidate } from './term.ts';

/** `lead`: whether this process begins to write at once, or with its first write. */
type PostgresOptions = { url: string; file: string; world: World; candidate: Candidate; lead: boolean };

/** A store whose source of truth is PostgreSQL; `lost` is aborted when another server has begun to write. */
export type SharedStore = { store: Store; lost: AbortSignal };

/** Another process that reads may be copying many rows into the file. */
const BUSY_TIMEOUT_MS = 30_000;

/** Opens the store of an installation, with a local file that is brought up to date, or made again where it is another's or damaged. */
export async function openPostgresStore({ url, file, world, candidate, lead }: PostgresOptions): Promise<SharedStore> {
  const commits = new Connection(url);
  const renewals = new Connection(url);
  const leadership = new Leadership({ commits, renewals, candidate, world });
  let db: DatabaseSync | undefined;
  let reader: DatabaseSync | undefined;
  try {
    await commits.use(migrateSchema);
    if (lead) await leadership.begin();
    db = await openReplica(commits, { file, world });
    reader = openDatabase({ file, busyTimeoutMs: BUSY_TIMEOUT_MS });
    const store = createSharedStore({ db, reader, file, world, commits, leadership });
    return { store: closing(store, [leadership, renewals, commits]), lost: leadership.lost };
  } catch (error) {
    for (const one of [reader, db]) one?.close();
    for (const one of [leadership, renewals, commits]) await one[Symbol.asyncDispose]();
    throw error;
  }
}

type Opened = {
  db: DatabaseSync;
  reader: DatabaseSync;
  file: string;
  world: World;
  commits: Connection;
  leadership: Leadership;
};

function createSharedStore({ db, reader, file, world, commits, leadership }: Opened): Store {
  const changes: ChangeCollector = collectChanges(db);
  return createStore({
    db,
    reader,
    file,
    world,
    createGroup: (hooks) => {
      const lead = async () => {
        if (leadership.isLeading) return;
        await leadership.begin();
        await commits.use((client) => pullChanges(client, db));
        changes.markShared();
        hooks.rolledBack();
      };
      return createSharedCommit({ db, file, world, leadership, changes, lead }, hooks);
    },
  });
}

/** Opens the local file and brings it up to date; one that is damaged or has another history is set aside, and made again. */
async function openReplica(
  commits: Connection,
  { file, world }: { file: string; world: World },
): Promise<DatabaseSync> {
  let db: DatabaseSync | undefined;
  try {
    db = await openUpToDate(commits, file);
  } catch (error) {
    if (!isUnusable(error)) throw error;
    setAside(file, world);
    db = await openUpToDate(commits, file);
  }
  return db;
}

/** A power failure may lose the last commits of the file, which are copied again, but does not damage it. */
async function openUpToDate(commits: Connection, file: string): Promise<DatabaseSync> {
  const db = openDatabase({ file, busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    db.exec('PRAGMA synchronous = NORMAL');
    prepareReplica(db);
    await commits.use((client) => pullChanges(client, db));
    return db;
  } catch (error) {
    db.close();
    throw fromSqliteError(error, file);
  }
}

function isUnusable(error: unknown): boolean {
  return error instanceof ReplicaDiverged || (error instanceof AppError && error.code === 'DATA_DAMAGED');
}

/** Keeps the file under another name: if a backup of PostgreSQL was restored, it has what the backup lacks. */
function setAside(file: string, world: World): void {
  const stamp = new Date(world.now()).toISOString().replaceAll(/[-:.]/g, '');
  for (const end of ['-wal', '-shm', ''])
    if (existsSync(`${file}${end}`)) renameSync(`${file}${end}`, `${file}.replaced-${stamp}${end}`);
  rmSync(`${file}-journal`, { force: true });
}

/** The store, with what ends after it. */
function closing(store: Store, after: readonly AsyncDisposable[]): Store {
  return {
    ...store,
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
      for (const one of after) await one[Symbol.asyncDispose]();
    },
  };
}
