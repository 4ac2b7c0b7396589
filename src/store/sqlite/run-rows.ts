import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import { overviewStream, runStream } from '../../schema/ids.ts';
import type { RunRecord } from '../../schema/keeping.ts';
import { type ChainedEvent, eventHash, NO_EVENT } from '../chain.ts';
import { integerOf, jsonOf, type Row, textOf, toJson } from './columns.ts';
import { originOf } from './events.ts';
import { prepare } from './statement.ts';
import { prepareRowCount } from './transcript.ts';

type AttemptRecord = RunRecord['attempts'][number];

/** Records the last row of each file of an attempt, after which rows are new; the same statement as in the migration. */
const LAST_ROWS = `
  INSERT INTO cursors (attempt, file, generation, offset, row_generation, row_offset, row_part)
    SELECT attempt, file, 0, 0, generation, offset, part FROM (
      SELECT attempt, file, generation, offset, part,
        row_number() OVER (PARTITION BY file ORDER BY generation DESC, offset DESC, part DESC) AS place
      FROM transcript WHERE attempt = ?
    ) WHERE place = 1
  ON CONFLICT (attempt, file) DO UPDATE SET
    row_generation = excluded.row_generation, row_offset = excluded.row_offset, row_part = excluded.row_part`;

/** The statements that export, delete and import a whole run. */
export function prepareRunRows(db: DatabaseSync) {
  const selectEvents = prepare(
    db,
    'SELECT version, at, type, data, origin, hash FROM events WHERE stream = ? ORDER BY version',
  );
  const selectVersion = prepare(db, 'SELECT version FROM streams WHERE stream = ?');
  const selectAttempts = prepare(
    db,
    "SELECT id, attempt, usage FROM attempts WHERE attempt GLOB ? || '-*' ORDER BY id",
  );
  const selectCursors = prepare(
    db,
    "SELECT file, generation, offset FROM cursors WHERE attempt = ? AND file <> 'engine' ORDER BY file",
  );
  const selectRows = prepare(db, 'SELECT * FROM transcript WHERE attempt = ? ORDER BY id');
  const insertEvent = prepare(
    db,
    'INSERT INTO events (stream, version, at, type, data, origin, hash) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const insertStream = prepare(
    db,
    'INSERT INTO streams (stream, version, first_at, last_at, head) VALUES (?, ?, ?, ?, ?)',
  );
  const insertAttempt = prepare(db, 'INSERT INTO attempts (attempt, usage) VALUES (?, ?) RETURNING id');
  const insertCursor = prepare(db, 'INSERT INTO cursors (attempt, file, generation, offset) VALUES (?, ?, ?, ?)');
  const markLast = prepare(db, LAST_ROWS);
  const insertRow = prepare(
    db,
    `
    INSERT INTO transcript (attempt, file, generation, offset, part, at, kind, text, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const count = prepareRowCount(db);
  const updateRowCount = prepare(db, 'UPDATE attempts SET row_count = ? WHERE id = ?');
  const deletePages = prepare(db, 'DELETE FROM pages WHERE attempt = ?');
  const deleteRows = prepare(db, 'DELETE FROM transcript WHERE attempt = ?');
  const deleteCursors = prepare(db, 'DELETE FROM cursors WHERE attempt = ?');
  const deleteAttempt = prepare(db, 'DELETE FROM attempts WHERE id = ?');
  const deleteOverview = prepare(db, 'DELETE FROM snapshots WHERE stream = ?');
  const deletions = ['events', 'snapshots', 'streams'].map((table) =>
    prepare(db, `DELETE FROM ${table} WHERE stream = ?`),
  );

  function versionOf(run: string): number {
    const row = selectVersion.get(runStream(run));
    return row === undefined ? 0 : integerOf(row, 'version');
  }

  function attemptOf(row: Row): AttemptRecord {
    const id = integerOf(row, 'id');
    return {
      attempt: textOf(row, 'attempt'),
      usage: row.usage === null ? null : jsonOf(row, 'usage'),
      cursors: selectCursors.all(id).map(sourcePosition),
      rows: selectRows.all(id).map((entry) => ({
        ...sourcePosition(entry),
        part: integerOf(entry, 'part'),
        at: integerOf(entry, 'at'),
        kind: textOf(entry, 'kind'),
        text: textOf(entry, 'text'),
        data: entry.data === null ? null : jsonOf(entry, 'data'),
      })),
    };
  }

  function insertWithRows({ attempt, usage, cursors, rows }: AttemptRecord): void {
    const id = integerOf(insertAttempt.get(attempt, usage === null ? null : toJson(usage)) ?? {}, 'id');
    for (const { file, generation, offset } of cursors) insertCursor.run(id, file, generation, offset);
    const counted = { id, rowCount: 0 };
    for (const { file, generation, offset, part, at, kind, text, data } of rows) {
      const json = data === null ? null : toJson(data);
      count(counted, Number(insertRow.run(id, file, generation, offset, part, at, kind, text, json).lastInsertRowid));
    }
    updateRowCount.run(counted.rowCount, id);
    markLast.run(id);
  }

  return {
    exportRun: (run: string): Omit<RunRecord, 'texts'> => ({
      run,
      events: selectEvents.all(runStream(run)).map((row) => ({
        version: integerOf(row, 'version'),
        at: integerOf(row, 'at'),
        type: textOf(row, 'type'),
        data: jsonOf(row, 'data'),
        ...originOf(row),
        hash: textOf(row, 'hash'),
      })),
      attempts: selectAttempts.all(run).map(attemptOf),
    }),
    /** Deletes a run that is still at the exported version. */
    deleteRun: (run: string, version: number): void => {
      const current = versionOf(run);
      if (current !== version)
        throw new AppError('CONFLICT', `Run ${run} is at version ${current}, not ${version}`, { run });
      for (const row of selectAttempts.all(run)) {
        const id = integerOf(row, 'id');
        for (const statement of [deletePages, deleteRows, deleteCursors, deleteAttempt]) statement.run(id);
      }
      for (const statement of deletions) statement.run(runStream(run));
      deleteOverview.run(overviewStream(run));
    },
    importRun: ({ run, events, attempts }: RunRecord): void => {
      if (versionOf(run) !== 0) throw new AppError('REFUSED', `Run ${run} is already in the database`, { run });
      const [first, last] = [events[0], events.at(-1)];
      if (first === undefined || last === undefined)
        throw new AppError('DATA_DAMAGED', `The archive of run ${run} contains no event`);
      const stream = runStream(run);
      const chained = chainedRecord(run, events);
      for (const { version, at, type, json, origin, hash } of chained)
        insertEvent.run(stream, version, at, type, json, origin, hash);
      insertStream.run(stream, last.version, first.at, last.at, chained.at(-1)?.hash ?? NO_EVENT);
      for (const attempt of attempts) insertWithRows(attempt);
    },
  };
}

/** The events of an archive with their hashes; those of earlier versions have none and get theirs now. Refuses a broken chain. */
function chainedRecord(run: string, events: RunRecord['events']): (ChainedEvent & { hash: string })[] {
  let previous = NO_EVENT;
  return events.map(({ version, at, type, data, origin, hash }) => {
    const json = toJson(data);
    const event = {
      stream: runStream(run),
      version,
      at,
      type,
      json,
      origin: origin === undefined ? null : toJson(origin),
    };
    previous = eventHash(previous, event);
    if (hash !== undefined && hash !== previous) {
      const message = `The archive of run ${run} was changed: event ${version} does not have its recorded hash`;
      throw new AppError('DATA_DAMAGED', message, { run, version });
    }
    return { ...event, hash: previous };
  });
}

function sourcePosition(row: Row): { file: string; generation: number; offset: number } {
  return { file: textOf(row, 'file'), generation: integerOf(row, 'generation'), offset: integerOf(row, 'offset') };
}
