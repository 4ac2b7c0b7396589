import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import type { Batch, Cursor, OutputFile, TranscriptEntry, TranscriptQuery, TranscriptRow } from '../store.ts';
import { fromJson, integerOf, jsonOf, type Row, textOf, toJson } from './columns.ts';
import { prepareRowCount } from './row-count.ts';

/** A row as readers will get it, its data as JSON, and its place among the rows from the same offset. */
type EncodedRow = { row: TranscriptRow; part: number; json: string | null };

/** A batch whose values are JSON already: what the caller changes later is not stored. */
type EncodedBatch = { attempt: string; rows: EncodedRow[]; cursors: Cursor[]; usage: string | undefined };

/** Encodes at the time of the call; one line of output may give several rows, told apart by their order. */
export function encodeBatch(batch: Batch): EncodedBatch {
  const parts = new Map<string, number>();
  const rows = batch.rows.map((row) => {
    const place = `${row.file} ${row.generation ?? 0} ${row.offset}`;
    const part = parts.get(place) ?? 0;
    parts.set(place, part + 1);
    const json = row.data === undefined ? null : toJson(row.data);
    return { row: asRead(row, batch.attempt, json), part, json };
  });
  const usage = batch.usage === undefined ? undefined : toJson(batch.usage);
  return { attempt: batch.attempt, rows, cursors: batch.cursors.map((cursor) => ({ ...cursor })), usage };
}

/** The statements on transcripts, read cursors and usage. */
export function prepareTranscript(db: DatabaseSync) {
  const insertAttempt = db.prepare('INSERT INTO attempts (attempt) VALUES (?) ON CONFLICT (attempt) DO NOTHING');
  const selectAttempt = db.prepare('SELECT id, usage, row_count FROM attempts WHERE attempt = ?');
  const count = prepareRowCount(db);
  const updateUsage = db.prepare('UPDATE attempts SET usage = ? WHERE id = ?');
  const insertRow = db.prepare(`
    INSERT INTO transcript (attempt, file, generation, offset, part, at, kind, text, data)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (attempt, file, generation, offset, part) DO NOTHING RETURNING id`);
  const advanceCursor = db.prepare(`
    INSERT INTO cursors (attempt, file, generation, offset) VALUES (?, ?, ?, ?)
    ON CONFLICT (attempt, file) DO UPDATE SET generation = excluded.generation, offset = excluded.offset
    WHERE (excluded.generation, excluded.offset) >= (cursors.generation, cursors.offset)`);
  const selectCursor = db.prepare(`
    SELECT generation, offset FROM cursors JOIN attempts ON attempts.id = cursors.attempt
    WHERE attempts.attempt = ? AND file = ?`);
  const selectRows = db.prepare(`
    SELECT transcript.*, attempts.attempt AS name FROM attempts JOIN transcript ON transcript.attempt = attempts.id
    WHERE attempts.attempt = ?1 AND transcript.id > ?2
      AND (?3 IS NULL OR transcript.kind IN (SELECT value FROM json_each(?3)))
    ORDER BY transcript.id LIMIT ?4`);

  function attemptRow(attempt: string): Row {
    const known = selectAttempt.get(attempt);
    if (known !== undefined) return known;
    insertAttempt.run(attempt);
    return selectAttempt.get(attempt) ?? {};
  }

  function addRow(attempt: number, { row, part, json }: EncodedRow): TranscriptEntry | undefined {
    const { file, generation = 0, offset, at, kind, text } = row;
    const added = insertRow.get(attempt, file, generation, offset, part, at, kind, text, json);
    return added === undefined ? undefined : { ...row, id: integerOf(added, 'id') };
  }

  return {
    /** Gives the rows that were new. Usage of a batch that lies behind a cursor is older than what is stored. */
    ingest: (batch: EncodedBatch): TranscriptEntry[] => {
      const known = attemptRow(batch.attempt);
      const attempt = integerOf(known, 'id');
      const added = batch.rows.map((encoded) => addRow(attempt, encoded)).filter((entry) => entry !== undefined);
      count(
        attempt,
        integerOf(known, 'row_count'),
        added.map(({ id }) => id),
      );
      const isCurrent = batch.cursors
        .map(({ file, generation = 0, offset }) => advanceCursor.run(attempt, file, generation, offset).changes)
        .every((changes) => changes === 1);
      if (batch.usage !== undefined && batch.usage !== known.usage && isCurrent) updateUsage.run(batch.usage, attempt);
      return added;
    },
    cursor: (attempt: string, file: OutputFile): { generation: number; offset: number } => {
      const row = selectCursor.get(attempt, file);
      if (row === undefined) return { generation: 0, offset: 0 };
      return { generation: integerOf(row, 'generation'), offset: integerOf(row, 'offset') };
    },
    usage: (attempt: string): unknown => {
      const row = selectAttempt.get(attempt);
      return row === undefined || row.usage === null ? undefined : jsonOf(row, 'usage');
    },
    read: ({ attempt, after = 0, limit, kinds }: TranscriptQuery): TranscriptEntry[] =>
      selectRows.all(attempt, after, kinds === undefined ? null : toJson(kinds), limit).map(entryOf),
  };
}

function asRead(row: TranscriptRow, attempt: string, json: string | null): TranscriptRow {
  const { file, generation = 0, offset, at, kind, text } = row;
  return {
    attempt,
    file,
    offset,
    ...(generation === 0 ? {} : { generation }),
    at,
    kind,
    text,
    ...(json === null ? {} : { data: fromJson(json) }),
  };
}

/** A stored row as readers get it. */
export function entryOf(row: Row): TranscriptEntry {
  const generation = integerOf(row, 'generation');
  return {
    id: integerOf(row, 'id'),
    attempt: textOf(row, 'name'),
    file: fileOf(row),
    offset: integerOf(row, 'offset'),
    ...(generation === 0 ? {} : { generation }),
    at: integerOf(row, 'at'),
    kind: textOf(row, 'kind'),
    text: textOf(row, 'text'),
    ...(row.data === null ? {} : { data: jsonOf(row, 'data') }),
  };
}

function fileOf(row: Row): TranscriptRow['file'] {
  const file = textOf(row, 'file');
  if (file === 'stdout' || file === 'stderr' || file === 'engine') return file;
  throw new AppError('DATA_DAMAGED', `The database holds a row of an unknown file ${file}`, { file });
}
