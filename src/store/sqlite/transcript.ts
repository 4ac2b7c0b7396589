import type { DatabaseSync } from 'node:sqlite';
import type {
  Batch,
  Cursor,
  OutputFile,
  PageQuery,
  RunTranscriptQuery,
  TranscriptEntry,
  TranscriptQuery,
  TranscriptRow,
} from '../store.ts';
import { type Attempt, fileOf, prepareAttempts, type Source } from './attempts.ts';
import { fromJson, integerOf, jsonOf, type Row, textOf, toJson } from './columns.ts';
import { prepare } from './statement.ts';

/** The number of rows of all runs that are scanned before the next row of this run is looked up. */
const WINDOW_ROWS = 10_000;

/** The first row of every page is stored, so that a lookup skips at most one page; the same number as in the migration. */
const PAGE_ROWS = 512;

/** A row for readers, with its id after the insert, its data as JSON, and its number among the rows of the same offset. */
type EncodedRow = { row: TranscriptEntry; part: number; json: string | null; isNew: boolean };

/** A batch whose values are already JSON: later changes by the caller are not stored. */
type EncodedBatch = { attempt: string; rows: EncodedRow[]; cursors: Cursor[]; usage: string | undefined };

/** Encodes at the time of the call; one line of output may give several rows, distinguished by their order. */
export function encodeBatch(batch: Batch): EncodedBatch {
  const rows: EncodedRow[] = [];
  for (const row of batch.rows) {
    const json = row.data === undefined ? null : toJson(row.data);
    const before = rows.findLast((earlier) => earlier.row.file === row.file);
    const part = before !== undefined && isSamePosition(before.row, row) ? before.part + 1 : 0;
    rows.push({ row: toEntry(row, batch.attempt, json), part, json, isNew: false });
  }
  const usage = batch.usage === undefined ? undefined : toJson(batch.usage);
  return { attempt: batch.attempt, rows, cursors: batch.cursors.map((cursor) => ({ ...cursor })), usage };
}

function isSamePosition(one: TranscriptRow, other: TranscriptRow): boolean {
  return one.offset === other.offset && (one.generation ?? 0) === (other.generation ?? 0);
}

/** The statements on transcripts, read cursors and usage. */
export function prepareTranscript(db: DatabaseSync) {
  const attempts = prepareAttempts(db);
  const count = prepareRowCount(db);
  const insertRow = prepare(
    db,
    `
    INSERT INTO transcript (attempt, file, generation, offset, part, at, kind, text, data)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const selectRows = prepare(
    db,
    `
    SELECT transcript.*, attempts.attempt AS name FROM attempts JOIN transcript ON transcript.attempt = attempts.id
    WHERE attempts.attempt = ?1 AND transcript.id > ?2
      AND (?3 IS NULL OR transcript.kind IN (SELECT value FROM json_each(?3)))
    ORDER BY transcript.id LIMIT ?4`,
  );

  /** Rows of a file arrive in the order of their positions: one that is not after the last one was stored before. */
  function addRow(attempt: Attempt, encoded: EncodedRow): void {
    const { row, part, json } = encoded;
    const { file, generation = 0, offset, at, kind, text } = row;
    const source = attempts.sourceOf(attempt, file);
    encoded.isNew = isAfterLastRow(source, generation, offset, part);
    if (!encoded.isNew) return;
    row.id = Number(insertRow.run(attempt.id, file, generation, offset, part, at, kind, text, json).lastInsertRowid);
    source.rowGeneration = generation;
    source.rowOffset = offset;
    source.rowPart = part;
    source.isChanged = true;
    count(attempt, row.id);
  }

  /** Advances a source to a cursor; false if the cursor is older. */
  function advance(source: Source, { generation = 0, offset }: Cursor): boolean {
    if (generation < source.generation || (generation === source.generation && offset < source.offset)) return false;
    source.generation = generation;
    source.offset = offset;
    source.isChanged = true;
    return true;
  }

  return {
    /** Sets `isNew` of each row. Usage of a batch with an older cursor is outdated and ignored. */
    ingest: (batch: EncodedBatch): void => {
      const attempt = attempts.open(batch.attempt);
      const before = attempt.rowCount;
      for (const encoded of batch.rows) addRow(attempt, encoded);
      let isCurrent = true;
      for (const cursor of batch.cursors)
        isCurrent = advance(attempts.sourceOf(attempt, cursor.file), cursor) && isCurrent;
      attempts.saveSources(attempt);
      if (attempt.rowCount > before) attempts.saveRowCount(attempt);
      if (batch.usage !== undefined && batch.usage !== attempt.usage && isCurrent)
        attempts.saveUsage(attempt, batch.usage);
    },
    cursor: (attempt: string, file: OutputFile): { generation: number; offset: number } =>
      attempts.find(attempt)?.sources.get(file) ?? { generation: 0, offset: 0 },
    usage: (attempt: string): unknown => {
      const usage = attempts.find(attempt)?.usage;
      return usage === undefined ? undefined : fromJson(usage);
    },
    read: ({ attempt, after = 0, limit, kinds }: TranscriptQuery): TranscriptEntry[] =>
      selectRows.all(attempt, after, kinds === undefined ? null : toJson(kinds), limit).map(entryOf),
    /** For a rollback, or after writes that bypass this cache. */
    unlearn: attempts.clearCache,
  };
}

function isAfterLastRow(source: Source, generation: number, offset: number, part: number): boolean {
  if (generation !== source.rowGeneration) return generation > source.rowGeneration;
  return offset === source.rowOffset ? part > source.rowPart : offset > source.rowOffset;
}

function toEntry(row: TranscriptRow, attempt: string, json: string | null): TranscriptEntry {
  const { file, generation = 0, offset, at, kind, text } = row;
  return {
    id: 0,
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

/** A stored row for readers. */
function entryOf(row: Row): TranscriptEntry {
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

/** The statement on the rows of all attempts after an id. */
export function prepareNewRows(db: DatabaseSync) {
  const select = prepare(
    db,
    `
    SELECT transcript.*, attempts.attempt AS name FROM transcript JOIN attempts ON attempts.id = transcript.attempt
    WHERE transcript.id > ? ORDER BY transcript.id`,
  );
  return (after: number): TranscriptEntry[] => select.all(after).map(entryOf);
}

/** Counts a row that is added to an attempt, in the same transaction; the caller stores the count after the last one. */
export function prepareRowCount(db: DatabaseSync) {
  const insertPage = prepare(db, 'INSERT INTO pages (attempt, page, first_id) VALUES (?, ?, ?)');

  return (attempt: { readonly id: number; rowCount: number }, row: number): void => {
    if (attempt.rowCount % PAGE_ROWS === 0) insertPage.run(attempt.id, attempt.rowCount / PAGE_ROWS, row);
    attempt.rowCount += 1;
  };
}

/** The statements that find rows by their position in an attempt. */
export function preparePages(db: DatabaseSync) {
  const selectCount = prepare(db, 'SELECT row_count FROM attempts WHERE attempt = ?');
  const selectRows = prepare(
    db,
    `
    SELECT transcript.*, ?1 AS name FROM transcript WHERE id IN (
      SELECT transcript.id FROM attempts JOIN pages ON pages.attempt = attempts.id AND pages.page = ?2
        JOIN transcript ON transcript.attempt = attempts.id AND transcript.id >= pages.first_id
      WHERE attempts.attempt = ?1 ORDER BY transcript.id LIMIT ?4 OFFSET ?3
    ) ORDER BY id`,
  );
  const selectPage = prepare(
    db,
    `
    SELECT pages.attempt, page, first_id FROM attempts JOIN pages ON pages.attempt = attempts.id
    WHERE attempts.attempt = ? AND first_id <= ? ORDER BY page DESC LIMIT 1`,
  );
  const selectBetween = prepare(
    db,
    'SELECT count(*) AS before FROM transcript WHERE attempt = ? AND id >= ? AND id < ?',
  );

  return {
    count: (attempt: string): number => {
      const row = selectCount.get(attempt);
      return row === undefined ? 0 : integerOf(row, 'row_count');
    },
    read: ({ attempt, offset, limit }: PageQuery): TranscriptEntry[] =>
      selectRows.all(attempt, Math.floor(offset / PAGE_ROWS), offset % PAGE_ROWS, limit).map(entryOf),
    offsetOf: (attempt: string, id: number): number => {
      const page = selectPage.get(attempt, id);
      if (page === undefined) return 0;
      const between = selectBetween.get(integerOf(page, 'attempt'), integerOf(page, 'first_id'), id);
      return integerOf(page, 'page') * PAGE_ROWS + integerOf(between ?? {}, 'before');
    },
  };
}

/** The statements on the transcript of a whole run; the names of its attempts are adjacent, their rows are between those of other runs. */
export function prepareRunTranscript(db: DatabaseSync) {
  const selectNext = prepare(
    db,
    `
    SELECT min((SELECT min(id) FROM transcript WHERE transcript.attempt = attempts.id AND transcript.id > ?2)) AS next
    FROM attempts WHERE attempts.attempt >= ?1 || '-' AND attempts.attempt < ?1 || '.'`,
  );
  const selectRows = prepare(
    db,
    `
    SELECT transcript.*, attempts.attempt AS name FROM transcript CROSS JOIN attempts ON attempts.id = transcript.attempt
    WHERE transcript.id > ?2 AND transcript.id <= ?2 + ${WINDOW_ROWS}
      AND attempts.attempt >= ?1 || '-' AND attempts.attempt < ?1 || '.'
    ORDER BY transcript.id LIMIT ?3`,
  );

  /** Returns no rows only if none is left. */
  return ({ run, after = 0, limit }: RunTranscriptQuery): TranscriptEntry[] => {
    const rows = selectRows.all(run, after, limit);
    if (rows.length > 0) return rows.map(entryOf);
    const { next = null } = selectNext.get(run, after) ?? {};
    return next === null ? [] : selectRows.all(run, integerOf({ next }, 'next') - 1, limit).map(entryOf);
  };
}
