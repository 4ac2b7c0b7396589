import type { DatabaseSync } from 'node:sqlite';
import type { Batch, Cursor, OutputFile, TranscriptEntry, TranscriptQuery, TranscriptRow } from '../store.ts';
import {
  type Attempt,
  comparePlaces,
  fileOf,
  type Place,
  prepareAttempts,
  type Source,
  unreadSource,
} from './attempts.ts';
import { fromJson, integerOf, jsonOf, type Row, textOf, toJson } from './columns.ts';
import { prepareRowCount } from './row-count.ts';

/** A row as readers will get it, its data as JSON, and its place among the rows from the same offset. */
type EncodedRow = { row: TranscriptRow; part: number; json: string | null };

/** A batch whose values are JSON already: what the caller changes later is not stored. */
type EncodedBatch = { attempt: string; rows: EncodedRow[]; cursors: Cursor[]; usage: string | undefined };

/** What a batch tells of the files that it is of. */
type Sources = Map<TranscriptRow['file'], Source>;

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
  const attempts = prepareAttempts(db);
  const count = prepareRowCount(db);
  const insertRow = db.prepare(`
    INSERT INTO transcript (attempt, file, generation, offset, part, at, kind, text, data)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const selectRows = db.prepare(`
    SELECT transcript.*, attempts.attempt AS name FROM attempts JOIN transcript ON transcript.attempt = attempts.id
    WHERE attempts.attempt = ?1 AND transcript.id > ?2
      AND (?3 IS NULL OR transcript.kind IN (SELECT value FROM json_each(?3)))
    ORDER BY transcript.id LIMIT ?4`);

  function addRow(attempt: number, { row, part, json }: EncodedRow): TranscriptEntry {
    const { file, generation = 0, offset, at, kind, text } = row;
    const { lastInsertRowid } = insertRow.run(attempt, file, generation, offset, part, at, kind, text, json);
    return { ...row, id: Number(lastInsertRowid) };
  }

  /** Rows of a file come in the order of their places: what is not behind the last one was stored before. */
  function addNewRows(attempt: Attempt, rows: readonly EncodedRow[], sources: Sources): TranscriptEntry[] {
    const added: TranscriptEntry[] = [];
    for (const encoded of rows) {
      const { file, generation = 0, offset } = encoded.row;
      const place: Place = { generation, offset, part: encoded.part };
      const source = sources.get(file) ?? attempt.sources.get(file) ?? unreadSource();
      if (comparePlaces(place, source.last) <= 0) continue;
      added.push(addRow(attempt.id, encoded));
      sources.set(file, { ...source, last: place });
    }
    return added;
  }

  return {
    /** Gives the rows that were new. Usage of a batch that lies behind a cursor is older than what is stored. */
    ingest: (batch: EncodedBatch): TranscriptEntry[] => {
      const attempt = attempts.open(batch.attempt);
      const sources: Sources = new Map();
      const added = addNewRows(attempt, batch.rows, sources);
      let isCurrent = true;
      for (const { file, generation = 0, offset } of batch.cursors) {
        const source = sources.get(file) ?? attempt.sources.get(file) ?? unreadSource();
        if (generation < source.generation || (generation === source.generation && offset < source.offset))
          isCurrent = false;
        else sources.set(file, { ...source, generation, offset });
      }
      for (const [file, source] of sources) attempts.saveSource(attempt, file, source);
      count(attempt, added);
      if (batch.usage !== undefined && batch.usage !== attempt.usage && isCurrent)
        attempts.saveUsage(attempt, batch.usage);
      return added;
    },
    cursor: (attempt: string, file: OutputFile): { generation: number; offset: number } =>
      attempts.find(attempt)?.sources.get(file) ?? { generation: 0, offset: 0 },
    usage: (attempt: string): unknown => {
      const usage = attempts.find(attempt)?.usage;
      return usage === undefined ? undefined : fromJson(usage);
    },
    read: ({ attempt, after = 0, limit, kinds }: TranscriptQuery): TranscriptEntry[] =>
      selectRows.all(attempt, after, kinds === undefined ? null : toJson(kinds), limit).map(entryOf),
    /** For when what was written does not stand, or was written past this. */
    unlearn: attempts.unlearn,
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
