import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { World } from '../../world.ts';
import type { Store, StoredEvent, TranscriptEntry } from '../store.ts';
import { prepareBlobs } from './blobs.ts';
import { createCheckpoints } from './checkpoints.ts';
import { toJson } from './columns.ts';
import { preparePrivateFile } from './database-file.ts';
import { encodeWrites, prepareEvents } from './events.ts';
import { createGroupCommit } from './group-commit.ts';
import { migrate, requireKnownVersion } from './migrations.ts';
import { preparePages } from './pages.ts';
import { prepareRunRows } from './run-rows.ts';
import { prepareRunTranscript } from './run-transcript.ts';
import { prepareFind, prepareIndex, prepareSearch } from './search.ts';
import { prepareSnapshots } from './snapshots.ts';
import { fromOpeningError, fromSqliteError } from './sqlite-error.ts';
import { encodeBatch, prepareTranscript } from './transcript.ts';

interface Listeners<T> {
  add(listener: (value: T) => void): () => void;
  tell(value: T): void;
}

/** `busyTimeoutMs`: another program may hold the file for a moment (a backup, a shell); the wait blocks the event loop. */
type SqliteOptions = { file: string; world: World; busyTimeoutMs?: number };

const BUSY_TIMEOUT_MS = 5_000;

/** The WAL is cut back to this size whenever a checkpoint has emptied it. */
const LARGEST_IDLE_WAL_BYTES = 128 * 1024 * 1024;

/** Opens the database, brought up to date; refuses a newer one with DATA_NEWER and a damaged one with DATA_DAMAGED. */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const { file, busyTimeoutMs = BUSY_TIMEOUT_MS } = options;
  preparePrivateFile(file);
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { timeout: busyTimeoutMs });
    requireKnownVersion(db, file);
    configure(db);
    migrate(db);
    return createStore(db, options);
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

function createStore(db: DatabaseSync, { file, world }: SqliteOptions): Store {
  const events = prepareEvents(db);
  const snapshots = prepareSnapshots(db);
  const blobs = prepareBlobs(db);
  const transcript = prepareTranscript(db);
  const runRows = prepareRunRows(db);
  const runTranscript = prepareRunTranscript(db);
  const pages = preparePages(db);
  const search = prepareSearch(db);
  const find = prepareFind(db);
  const index = prepareIndex(db);
  const checkpoints = createCheckpoints(db, file, world, () => group.resume());
  const group = createGroupCommit(db, file, world, {
    committing: index,
    committed: () => {
      tellIngested();
      checkpoints.committed();
    },
    undone: transcript.unlearn,
    isHolding: checkpoints.isHolding,
  });
  const appended = createListeners<StoredEvent[]>();
  const ingested = createListeners<TranscriptEntry[]>();
  let untold: TranscriptEntry[] = [];

  /** All rows of a transaction are told of at once. */
  function tellIngested(): void {
    if (untold.length === 0) return;
    const rows = untold;
    untold = [];
    ingested.tell(rows);
  }

  function asking<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw fromSqliteError(error, file);
    }
  }

  return {
    append: async (writes, at) => {
      const encoded = encodeWrites(writes);
      return group.add(() => events.append(encoded, at), appended.tell);
    },
    read: (stream, after = 0, limit = -1) => asking(() => events.read(stream, after, limit)),
    readAll: (after, limit) => asking(() => events.readAll(after, limit)),
    readTypes: (stream, types) => asking(() => events.readTypes(stream, types)),
    position: () => asking(events.position),
    readingSince: () => asking(events.readingSince),
    streams: (prefix) => asking(() => events.streams(prefix)),
    mentioning: (words, limit) => asking(() => events.mentioning(words, limit)),
    saveSnapshot: async ({ stream, version, codec, state }) => {
      const encoded = { stream, version, codec, json: toJson(state) };
      await group.add(() => snapshots.save(encoded));
    },
    loadSnapshot: (stream, codec) => asking(() => snapshots.load(stream, codec)),
    putBlob: async (text) => {
      const hash = createHash('sha256').update(text).digest('hex');
      await group.add(() => blobs.put(hash, text));
      return hash;
    },
    getBlob: (hash) => asking(() => blobs.get(hash)),
    ingest: (batch) => {
      const encoded = encodeBatch(batch);
      return group.add(
        () => transcript.ingest(encoded),
        () => {
          for (const { row, isNew } of encoded.rows) if (isNew) untold.push(row);
        },
        'patient',
      );
    },
    cursor: (attempt, source) => asking(() => transcript.cursor(attempt, source).offset),
    generation: (attempt, source) => asking(() => transcript.cursor(attempt, source).generation),
    usage: (attempt) => asking(() => transcript.usage(attempt)),
    transcript: (query) => asking(() => transcript.read(query)),
    runTranscript: (query) => asking(() => runTranscript(query)),
    rowCount: (attempt) => asking(() => pages.count(attempt)),
    page: (query) => asking(() => pages.read(query)),
    offsetOf: (attempt, id) => asking(() => pages.offsetOf(attempt, id)),
    find: (query) => asking(() => find(query)),
    search: (query) => asking(() => search(query)),
    takeOut: (run) => asking(() => runRows.takeOut(run)),
    forget: async (run, version, also = []) => {
      const encoded = encodeWrites(also);
      const removing = () => {
        const told = events.append(encoded, world.now());
        // What is not in the index cannot be taken out of it.
        index();
        runRows.forget(run, version);
        transcript.unlearn();
        return told;
      };
      await group.add(removing, appended.tell);
    },
    putBack: (record) =>
      group.add(() => {
        for (const [hash, text] of Object.entries(record.texts)) blobs.put(hash, text);
        runRows.putBack(record);
        transcript.unlearn();
      }),
    onAppend: appended.add,
    onTranscript: ingested.add,
    [Symbol.asyncDispose]: async () => {
      group.close();
      await checkpoints.close();
      if (db.isOpen) db.close();
    },
  };
}

/** Tells everybody in the order of arrival; a listener that throws is a defect, which surfaces uncaught after all were told. */
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
    tell: (value) => {
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
