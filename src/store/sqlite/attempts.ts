import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import type { TranscriptRow } from '../store.ts';
import { integerOf, type Row, textOf } from './columns.ts';
import { prepare } from './statement.ts';

/** How far a file of an attempt was read, and the position of the last row from it. */
export type Source = {
  generation: number;
  offset: number;
  rowGeneration: number;
  rowOffset: number;
  rowPart: number;
  isChanged: boolean;
};

/** The stored data of an attempt besides its rows. */
export type Attempt = {
  readonly id: number;
  usage: string | undefined;
  rowCount: number;
  readonly sources: Map<TranscriptRow['file'], Source>;
};

/** The size of the cache: more attempts than ever run at the same time. */
const MAX_CACHED = 1_000;

/** The statements on attempts and on how far their files were read; cached, because every row needs them. */
export function prepareAttempts(db: DatabaseSync) {
  const insert = prepare(db, 'INSERT INTO attempts (attempt) VALUES (?) RETURNING id, usage, row_count');
  const select = prepare(db, 'SELECT id, usage, row_count FROM attempts WHERE attempt = ?');
  const selectSources = prepare(db, 'SELECT * FROM cursors WHERE attempt = ?');
  const replaceSource = prepare(
    db,
    `
    REPLACE INTO cursors (attempt, file, generation, offset, row_generation, row_offset, row_part)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const updateRowCount = prepare(db, 'UPDATE attempts SET row_count = ? WHERE id = ?');
  const updateUsage = prepare(db, 'UPDATE attempts SET usage = ? WHERE id = ?');
  const cache = new Map<string, Attempt>();

  function attemptOf(row: Row): Attempt {
    const id = integerOf(row, 'id');
    const sources = selectSources.all(id).map((source) => [fileOf(source), sourceOf(source)] as const);
    return {
      id,
      usage: row.usage === null ? undefined : textOf(row, 'usage'),
      rowCount: integerOf(row, 'row_count'),
      sources: new Map(sources),
    };
  }

  return {
    /** The stored attempt, if there is one. */
    find: (name: string): Attempt | undefined => {
      const row = select.get(name);
      return row === undefined ? undefined : attemptOf(row);
    },
    /** An attempt for writing, created if it is new; the writer keeps the cached values up to date. */
    open: (name: string): Attempt => {
      const cached = cache.get(name);
      if (cached !== undefined) return cached;
      const attempt = attemptOf(select.get(name) ?? insert.get(name) ?? {});
      if (cache.size >= MAX_CACHED) cache.clear();
      cache.set(name, attempt);
      return attempt;
    },
    /** The state of a file; a caller that changes it sets `isChanged`. */
    sourceOf: ({ sources }: Attempt, file: TranscriptRow['file']): Source => {
      const cached = sources.get(file);
      if (cached !== undefined) return cached;
      const source = { generation: 0, offset: 0, rowGeneration: -1, rowOffset: -1, rowPart: -1, isChanged: false };
      sources.set(file, source);
      return source;
    },
    saveSources: ({ id, sources }: Attempt): void => {
      for (const [file, source] of sources) {
        if (!source.isChanged) continue;
        const { generation, offset, rowGeneration, rowOffset, rowPart } = source;
        replaceSource.run(id, file, generation, offset, rowGeneration, rowOffset, rowPart);
        source.isChanged = false;
      }
    },
    saveRowCount: ({ id, rowCount }: Attempt): void => {
      updateRowCount.run(rowCount, id);
    },
    saveUsage: (attempt: Attempt, usage: string): void => {
      updateUsage.run(usage, attempt.id);
      attempt.usage = usage;
    },
    /** For a rollback, or after writes that bypass this cache. */
    clearCache: (): void => cache.clear(),
  };
}

function sourceOf(row: Row): Source {
  return {
    generation: integerOf(row, 'generation'),
    offset: integerOf(row, 'offset'),
    rowGeneration: integerOf(row, 'row_generation'),
    rowOffset: integerOf(row, 'row_offset'),
    rowPart: integerOf(row, 'row_part'),
    isChanged: false,
  };
}

/** The file of a stored row. */
export function fileOf(row: Row): TranscriptRow['file'] {
  const file = textOf(row, 'file');
  if (file === 'stdout' || file === 'stderr' || file === 'engine') return file;
  throw new AppError('DATA_DAMAGED', `The database contains a row of an unknown file ${file}`, { file });
}
