import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import type { World } from '../../world.ts';
import type { HostOrder } from '../fleet.ts';
import type { Store, StoredEvent, TranscriptEntry } from '../store.ts';
import { hashOf, prepareBlobs } from './blobs.ts';
import { createCheckpoints } from './checkpoints.ts';
import { integerOf, jsonOf, toJson } from './columns.ts';
import { preparePrivateFile } from './database-file.ts';
import { encodeWrites, prepareEvents } from './events.ts';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';
import { migrate, requireKnownVersion } from './migrations.ts';
import { prepareRunRows } from './run-rows.ts';
import { prepareFind, prepareIndex, prepareSearch } from './search.ts';
import { fromOpeningError, fromSqliteError } from './sqlite-error.ts';
import { prepare } from './statement.ts';
import type { TransactionHooks } from './transaction.ts';
import { encodeBatch, preparePages, prepareRunTranscript, prepareTranscript } from './transcript.ts';

type EncodedSnapshot = { stream: string; version: number; codec: string; json: string };

interface Listeners<T> {
  add(listener: (value: T) => void): () => void;
  notify(value: T): void;
}

/** Selects a database that exists only in this process. */
export const IN_MEMORY = ':memory:';

/** `busyTimeoutMs`: another program may lock the file briefly (a backup, a shell); the wait blocks the event loop. */
type SqliteOptions = { file: string; world: World; busyTimeoutMs?: number };

/** A store on an open database: `reader` is a second connection if commits take long, so that reads see only what is committed. */
type StoreParts = {
  db: DatabaseSync;
  reader?: DatabaseSync;
  file: string;
  world: World;
  createGroup?: (hooks: TransactionHooks) => GroupCommit;
  /** Adds an order to the open transaction; an embedded store has no hosts. */
  addOrder?: (order: HostOrder) => void;
  /** Removes an order in the open transaction; an embedded store has none. */
  finishOrder?: (id: string) => void;
};

const BUSY_TIMEOUT_MS = 5_000;

/** The WAL is truncated to this size after a checkpoint has emptied it. */
const LARGEST_IDLE_WAL_BYTES = 128 * 1024 * 1024;

/** Opens and migrates the database; refuses a newer one with DATA_NEWER and a damaged one with DATA_DAMAGED. */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const { file, world } = options;
  const db = openDatabase(options);
  try {
    return createStore({ db, file, world });
  } catch (error) {
    db.close();
    throw fromOpeningError(error, file);
  }
}

/** Opens and migrates the file of a store. */
export function openDatabase({ file, busyTimeoutMs = BUSY_TIMEOUT_MS }: Omit<SqliteOptions, 'world'>): DatabaseSync {
  if (file !== IN_MEMORY) preparePrivateFile(file);
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { timeout: busyTimeoutMs });
    requireKnownVersion(db, file);
    configure(db);
    migrate(db);
    return db;
  } catch (error) {
    db?.close();
    throw fromOpeningError(error, file);
  }
}

function configure(db: DatabaseSync): void {
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON;
    PRAGMA journal_size_limit = ${LARGEST_IDLE_WAL_BYTES};
    PRAGMA trusted_schema = OFF;
  `);
}

/** The store of an open and migrated database; it closes both connections at the end. */
export function createStore({ db, reader = db, file, world, createGroup, addOrder, finishOrder }: StoreParts): Store {
  const writing = prepareTables(db);
  const { events, snapshots, blobs, transcript, runRows } = reader === db ? writing : prepareTables(reader);
  const runTranscript = prepareRunTranscript(reader);
  const pages = preparePages(reader);
  const search = prepareSearch(reader);
  const find = prepareFind(reader);
  const index = prepareIndex(db);
  const checkpoints = createCheckpoints(db, file, world, () => group.resume());
  const hooks: TransactionHooks = {
    committing: index,
    committed: () => {
      notifyIngested();
      checkpoints.onCommit();
    },
    rolledBack: writing.transcript.unlearn,
    isHolding: checkpoints.isBlocking,
    publish: (events, rows) => {
      if (events.length > 0) appended.notify(events);
      if (rows.length > 0) ingested.notify(rows);
    },
  };
  const group = createGroup?.(hooks) ?? createGroupCommit(db, file, world, hooks);
  const appended = createListeners<StoredEvent[]>();
  const ingested = createListeners<TranscriptEntry[]>();
  let pendingRows: TranscriptEntry[] = [];

  /** Listeners get all rows of a transaction at once. */
  function notifyIngested(): void {
    if (pendingRows.length === 0) return;
    const rows = pendingRows;
    pendingRows = [];
    ingested.notify(rows);
  }

  function translateErrors<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw fromSqliteError(error, file);
    }
  }

  return {
    append: async (writes, at) => {
      const encoded = encodeWrites(writes);
      const orders = writes.flatMap(({ order }) => order ?? []);
      if (orders.length > 0 && addOrder === undefined)
        throw new AppError('INTERNAL', 'An order needs an installation on PostgreSQL');
      const work = () => {
        const stored = writing.events.append(encoded, at);
        for (const order of orders) addOrder?.(order);
        for (const { finished } of writes) if (finished !== undefined) finishOrder?.(finished);
        return stored;
      };
      return group.add(work, appended.notify);
    },
    read: (stream, after = 0, limit = -1) => translateErrors(() => events.read(stream, after, limit)),
    readAll: (after, limit) => translateErrors(() => events.readAll(after, limit)),
    readTypes: (stream, types) => translateErrors(() => events.readTypes(stream, types)),
    position: () => translateErrors(events.position),
    readingSince: () => translateErrors(events.readingSince),
    head: (stream) => translateErrors(() => events.head(stream)),
    chain: (stream) => translateErrors(() => events.chain(stream)),
    streams: (prefix) => translateErrors(() => events.streams(prefix)),
    mentioning: (words, limit) => translateErrors(() => events.mentioning(words, limit)),
    saveSnapshot: async ({ stream, version, codec, state }) => {
      const encoded = { stream, version, codec, json: toJson(state) };
      await group.add(() => writing.snapshots.save(encoded));
    },
    loadSnapshot: (stream, codec) => translateErrors(() => snapshots.load(stream, codec)),
    putBlob: async (text) => {
      const hash = hashOf(text);
      await group.add(() => writing.blobs.put(hash, text));
      return hash;
    },
    getBlob: (hash) => translateErrors(() => blobs.get(hash)),
    damagedBlobs: () => translateErrors(() => blobs.damaged()),
    ingest: (batch) => {
      const encoded = encodeBatch(batch);
      return group.add(
        () => writing.transcript.ingest(encoded),
        () => {
          for (const { row, isNew } of encoded.rows) if (isNew) pendingRows.push(row);
        },
        'deferred',
      );
    },
    cursor: (attempt, source) => translateErrors(() => transcript.cursor(attempt, source).offset),
    generation: (attempt, source) => translateErrors(() => transcript.cursor(attempt, source).generation),
    usage: (attempt) => translateErrors(() => transcript.usage(attempt)),
    transcript: (query) => translateErrors(() => transcript.read(query)),
    runTranscript: (query) => translateErrors(() => runTranscript(query)),
    rowCount: (attempt) => translateErrors(() => pages.count(attempt)),
    page: (query) => translateErrors(() => pages.read(query)),
    offsetOf: (attempt, id) => translateErrors(() => pages.offsetOf(attempt, id)),
    find: (query) => translateErrors(() => find(query)),
    search: (query) => translateErrors(() => search(query)),
    exportRun: (run) => translateErrors(() => runRows.exportRun(run)),
    deleteRun: async (run, version, also = []) => {
      const encoded = encodeWrites(also);
      const removeRun = () => {
        const appendedEvents = writing.events.append(encoded, world.now());
        // Rows that are not indexed cannot be removed from the index.
        index();
        writing.runRows.deleteRun(run, version);
        writing.transcript.unlearn();
        return appendedEvents;
      };
      await group.add(removeRun, appended.notify);
    },
    importRun: (record) =>
      group.add(() => {
        for (const [hash, text] of Object.entries(record.texts)) writing.blobs.put(hash, text);
        writing.runRows.importRun(record);
        writing.transcript.unlearn();
      }),
    onAppend: appended.add,
    onTranscript: ingested.add,
    [Symbol.asyncDispose]: async () => {
      await group.close();
      await checkpoints.close();
      for (const connection of new Set([reader, db])) if (connection.isOpen) connection.close();
    },
  };
}

/** The statements on tables that are both read and written. */
function prepareTables(db: DatabaseSync) {
  return {
    events: prepareEvents(db),
    snapshots: prepareSnapshots(db),
    blobs: prepareBlobs(db),
    transcript: prepareTranscript(db),
    runRows: prepareRunRows(db),
  };
}

/** Notifies listeners in the order of registration; an error thrown by one is rethrown as uncaught after all were notified. */
function createListeners<T>(): Listeners<T> {
  const entries = new Set<{ listener: (value: T) => void }>();
  return {
    add: (listener) => {
      const entry = { listener };
      entries.add(entry);
      return () => {
        entries.delete(entry);
      };
    },
    notify: (value) => {
      for (const { listener } of [...entries]) {
        try {
          listener(value);
        } catch (error) {
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    },
  };
}

/** The statements on snapshots. */
function prepareSnapshots(db: DatabaseSync) {
  const upsert = prepare(
    db,
    `
    INSERT INTO snapshots (stream, version, codec, state) VALUES (?, ?, ?, ?)
    ON CONFLICT (stream) DO UPDATE SET version = excluded.version, codec = excluded.codec, state = excluded.state
    WHERE excluded.version >= snapshots.version OR excluded.codec <> snapshots.codec`,
  );
  const select = prepare(db, 'SELECT version, state FROM snapshots WHERE stream = ? AND codec = ?');

  return {
    save: ({ stream, version, codec, json }: EncodedSnapshot): void => {
      upsert.run(stream, version, codec, json);
    },
    load: (stream: string, codec: string): { version: number; state: unknown } | undefined => {
      const row = select.get(stream, codec);
      return row === undefined ? undefined : { version: integerOf(row, 'version'), state: jsonOf(row, 'state') };
    },
  };
}
