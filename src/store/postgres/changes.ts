import type { DatabaseSync } from 'node:sqlite';
import type { HostOrder } from '../fleet.ts';
import { integerOf, type Row, textOf } from '../sqlite/columns.ts';

/** What one transaction changed in the local file, as rows of the tables in PostgreSQL. */
export type Changes = {
  removedRuns: string[];
  events: Row[];
  blobs: Row[];
  attempts: Row[];
  transcript: Row[];
  /** Orders to hosts, and those that are finished; the local file has none of them. */
  orders: HostOrder[];
  finishedOrders: string[];
  /** The highest id that any row of a transcript had. */
  transcriptId: number;
};

/** Collects the changes of each transaction. */
export interface ChangeCollector {
  /** The changes that are not shared yet, as the last step of a transaction; undefined if only caches were changed. */
  collect(): Changes | undefined;
  /** Everything that is in the tables now is shared; called inside the transaction of these changes, or after a pull. */
  markShared(): void;
  /** Adds an order to the open transaction. */
  addOrder(order: HostOrder): void;
  /** Removes an order with the open transaction. */
  finishOrder(id: string): void;
}

/**
 * Temporary tables and triggers of this connection only: the file itself is the same as that of an embedded store. Triggers
 * do not use OR IGNORE, because the statement that fires them overrides it.
 */
const TRIGGERS = `
  CREATE TEMP TABLE changed_events (position INTEGER PRIMARY KEY);
  CREATE TEMP TABLE changed_attempts (id INTEGER PRIMARY KEY);
  CREATE TEMP TABLE removed_streams (stream TEXT PRIMARY KEY);
  CREATE TEMP TABLE new_orders (id TEXT, kind TEXT, host TEXT, instance TEXT, body TEXT);
  CREATE TEMP TABLE finished_orders (id TEXT);

  CREATE TEMP TRIGGER event_added AFTER INSERT ON main.events BEGIN
    INSERT INTO changed_events SELECT new.position WHERE new.position NOT IN changed_events;
  END;
  CREATE TEMP TRIGGER attempt_added AFTER INSERT ON main.attempts BEGIN
    INSERT INTO changed_attempts SELECT new.id WHERE new.id NOT IN changed_attempts;
  END;
  CREATE TEMP TRIGGER attempt_changed AFTER UPDATE ON main.attempts BEGIN
    INSERT INTO changed_attempts SELECT new.id WHERE new.id NOT IN changed_attempts;
  END;
  CREATE TEMP TRIGGER cursor_replaced AFTER INSERT ON main.cursors BEGIN
    INSERT INTO changed_attempts SELECT new.attempt WHERE new.attempt NOT IN changed_attempts;
  END;
  CREATE TEMP TRIGGER cursor_changed AFTER UPDATE ON main.cursors BEGIN
    INSERT INTO changed_attempts SELECT new.attempt WHERE new.attempt NOT IN changed_attempts;
  END;
  CREATE TEMP TRIGGER stream_removed AFTER DELETE ON main.streams BEGIN
    INSERT INTO removed_streams SELECT old.stream WHERE old.stream NOT IN removed_streams;
  END;
`;

/** The tables of what is not shared yet. */
const COLLECTED = ['changed_events', 'changed_attempts', 'removed_streams', 'new_orders', 'finished_orders'];
const LAST_TRANSCRIPT_ID = "SELECT coalesce(max(seq), 0) AS last FROM sqlite_sequence WHERE name = 'transcript'";
const RUN = 'run/';

/** Begins to collect the changes of a connection; what is in its tables now counts as shared. */
export function collectChanges(db: DatabaseSync): ChangeCollector {
  db.exec(TRIGGERS);
  const selectRemoved = db.prepare('SELECT stream FROM removed_streams');
  const selectEvents = db.prepare(
    'SELECT events.* FROM changed_events JOIN main.events USING (position) ORDER BY position',
  );
  const selectBlobs = db.prepare('SELECT hash, text FROM blobs WHERE rowid > ? ORDER BY rowid');
  const selectAttempts = db.prepare(`
    SELECT attempt, usage, (
      SELECT json_group_array(json_array(file, generation, offset, row_generation, row_offset, row_part))
      FROM cursors WHERE cursors.attempt = attempts.id
    ) AS cursors
    FROM changed_attempts JOIN main.attempts USING (id)`);
  const selectTranscript = db.prepare(`
    SELECT transcript.*, attempts.attempt AS name FROM transcript JOIN attempts ON attempts.id = transcript.attempt
    WHERE transcript.id > ? ORDER BY transcript.id`);
  const insertOrder = db.prepare('INSERT INTO new_orders VALUES (?, ?, ?, ?, ?)');
  const selectOrders = db.prepare('SELECT * FROM new_orders ORDER BY rowid');
  const insertFinished = db.prepare('INSERT INTO finished_orders VALUES (?)');
  const selectFinished = db.prepare('SELECT id FROM finished_orders');
  const selectLastBlob = db.prepare('SELECT coalesce(max(rowid), 0) AS last FROM blobs');
  const selectLastRow = db.prepare(LAST_TRANSCRIPT_ID);
  const lastRow = () => integerOf(selectLastRow.get() ?? {}, 'last');
  const clear = COLLECTED.map((table) => db.prepare(`DELETE FROM ${table}`));
  let sharedBlob = 0;
  let sharedRow = 0;

  function markShared(): void {
    for (const remove of clear) remove.run();
    sharedBlob = integerOf(selectLastBlob.get() ?? {}, 'last');
    sharedRow = lastRow();
  }

  markShared();
  return {
    collect: () => {
      const changes = {
        removedRuns: selectRemoved
          .all()
          .map((row) => textOf(row, 'stream'))
          .filter((stream) => stream.startsWith(RUN))
          .map((stream) => stream.slice(RUN.length)),
        events: selectEvents.all(),
        blobs: selectBlobs.all(sharedBlob),
        attempts: selectAttempts.all(),
        transcript: selectTranscript.all(sharedRow),
        orders: selectOrders.all().map(orderOf),
        finishedOrders: selectFinished.all().map((row) => textOf(row, 'id')),
        transcriptId: lastRow(),
      };
      const { transcriptId: _, ...tables } = changes;
      return Object.values(tables).every(({ length }) => length === 0) ? undefined : changes;
    },
    markShared,
    addOrder: ({ id, kind, host, instance, body }) => {
      insertOrder.run(id, kind, host, instance, body);
    },
    finishOrder: (id) => {
      insertFinished.run(id);
    },
  };
}

function orderOf(row: Row): HostOrder {
  return {
    id: textOf(row, 'id'),
    kind: textOf(row, 'kind') === 'check' ? 'check' : 'attempt',
    host: textOf(row, 'host'),
    instance: textOf(row, 'instance'),
    body: textOf(row, 'body'),
  };
}

/** The highest id that a row of a transcript ever had in this file. */
export function lastTranscriptId(db: DatabaseSync): number {
  return integerOf(db.prepare(LAST_TRANSCRIPT_ID).get() ?? {}, 'last');
}
