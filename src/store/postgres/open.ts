import { existsSync, renameSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import type { World } from '../../world.ts';
import type { Fleet } from '../fleet.ts';
import { createStore, openDatabase } from '../sqlite/open.ts';
import { fromSqliteError } from '../sqlite/sqlite-error.ts';
import type { Store } from '../store.ts';
import { type ChangeCollector, collectChanges } from './changes.ts';
import { Connection, RENEWAL_TIMEOUTS } from './connection.ts';
import { Follower } from './follower.ts';
import { PostgresFleet } from './hosts/postgres-fleet.ts';
import { Leadership } from './leadership.ts';
import { createPostgresCommit } from './postgres-commit.ts';
import { prepareReplica, pullChanges, ReplicaDiverged } from './replica.ts';
import { migrateSchema, requireInUse } from './schema.ts';
import type { Candidate } from './term.ts';

/**
 * `lead`: whether this process begins to write at once; otherwise it follows what the leader writes, and begins with its
 * first write. `onLeading` is called before the local file is opened for writing: nothing else in this process may use it then.
 */
type PostgresOptions = {
  url: string;
  file: string;
  world: World;
  candidate: Candidate;
  lead: boolean;
  onLeading?: () => Promise<void>;
  /** Whether the installation is opened to move it. */
  moving?: boolean;
};

/**
 * A store whose source of truth is PostgreSQL; `lost` is aborted when another server has begun to write, and `onDoubt` calls
 * its listener when that may happen within seconds. Only a leader has a fleet.
 */
export type SharedStore = { store: Store; lost: AbortSignal; onDoubt(listener: () => void): void; fleet?: Fleet };

/** How long a command waits for a server that is being restarted, and how often it tries. */
const RESTART_MS = 5_000;
const RETRY_MS = 200;

/** Another process that reads may be copying many rows into the file. */
const BUSY_TIMEOUT_MS = 30_000;

/** Opens the store of an installation, with a local file that is brought up to date, or made again where it is another's or damaged. */
export async function openPostgresStore(options: PostgresOptions): Promise<SharedStore> {
  const { url, file, world, candidate, lead, onLeading, moving = false } = options;
  const commits = new Connection(url);
  const renewals = new Connection(url, RENEWAL_TIMEOUTS);
  const following = new Connection(url);
  const fleetConnection = new Connection(url);
  const fleet: PostgresFleet = new PostgresFleet({
    connection: fleetConnection,
    world,
    epoch: () => leadership.epoch,
  });
  const leadership: Leadership = new Leadership({ commits, renewals, candidate, world });
  let db: DatabaseSync | undefined;
  let reader: DatabaseSync | undefined;
  try {
    await whenReachable(world, () => commits.use(migrateSchema));
    if (!moving) await whenReachable(world, () => commits.use(requireInUse));
    if (lead) await whenReachable(world, () => leadership.begin());
    if (lead) await onLeading?.();
    db = await whenReachable(world, () => openReplica(commits, { file, world }));
    reader = openDatabase({ file, busyTimeoutMs: BUSY_TIMEOUT_MS });
    const { store, follower } = createSharedStore({ db, reader, file, world, commits, following, leadership });
    const after = [fleet, fleetConnection, leadership, following, renewals, commits];
    const onDoubt = (listener: () => void) => leadership.onDoubt(listener);
    const opened = { store: closing(store, follower, after), lost: leadership.lost, onDoubt };
    return lead && !moving ? { ...opened, fleet } : opened;
  } catch (error) {
    for (const one of [reader, db]) one?.close();
    for (const one of [fleet, fleetConnection, leadership, following, renewals, commits])
      await one[Symbol.asyncDispose]();
    throw error;
  }
}

/** Repeats what only needs the server to answer. */
async function whenReachable<T>(world: World, work: () => Promise<T>): Promise<T> {
  for (const giveUpAt = world.now() + RESTART_MS; ; ) {
    try {
      return await work();
    } catch (error) {
      const isUnreachable = error instanceof AppError && error.code === 'DATABASE_UNREACHABLE';
      if (!isUnreachable || world.now() >= giveUpAt) throw error;
    }
    await world.sleep(RETRY_MS);
  }
}

type Opened = {
  db: DatabaseSync;
  reader: DatabaseSync;
  file: string;
  world: World;
  commits: Connection;
  /** Follows the leader. */
  following: Connection;
  leadership: Leadership;
};

function createSharedStore({ db, reader, file, world, commits, following, leadership }: Opened) {
  const changes: ChangeCollector = collectChanges(db);
  let follower: Follower | undefined;
  const store = createStore({
    db,
    reader,
    file,
    world,
    createGroup: (hooks) => {
      if (!leadership.isLeading) follower = new Follower({ db, connection: following, world, hooks, changes });
      const lead = async () => {
        if (leadership.isLeading) return;
        await leadership.begin();
        try {
          await follower?.[Symbol.asyncDispose]();
          await commits.use((client) => pullChanges(client, db));
        } catch (error) {
          leadership.fail(error);
          throw error;
        }
        changes.markShared();
        hooks.rolledBack();
      };
      return createPostgresCommit({ db, file, world, leadership, changes, lead }, hooks);
    },
    addOrder: changes.addOrder,
    finishOrder: changes.finishOrder,
  });
  return { store, follower };
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

/** The store, with what ends before and after it. */
function closing(store: Store, before: AsyncDisposable | undefined, after: readonly AsyncDisposable[]): Store {
  return {
    ...store,
    [Symbol.asyncDispose]: async () => {
      await before?.[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      for (const one of after) await one[Symbol.asyncDispose]();
    },
  };
}
