import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import type { TranscriptRow } from '../store.ts';
import { integerOf, type Row, textOf } from './columns.ts';

/** How far a file of an attempt was read, and the place of the last row that came from it. */
export type Source = {
  generation: number;
  offset: number;
  rowGeneration: number;
  rowOffset: number;
  rowPart: number;
  isChanged: boolean;
};

/** What the database holds of an attempt besides its rows. */
export type Attempt = {
  readonly id: number;
  usage: string | undefined;
  rowCount: number;
  readonly sources: Map<TranscriptRow['file'], Source>;
};

/** So many attempts are remembered, which is more than are ever at work at a time. */
const REMEMBERED = 1_000;

/** The statements on attempts and on how far their files were read. What they hold is remembered, as each row asks for it. */
export function prepareAttempts(db: DatabaseSync) {
  const insert = db.prepare('INSERT INTO attempts (attempt) VALUES (?) RETURNING id, usage, row_count');
  const select = db.prepare('SELECT id, usage, row_count FROM attempts WHERE attempt = ?');
  const selectSources = db.prepare('SELECT * FROM cursors WHERE attempt = ?');
  const replaceSource = db.prepare(`
    REPLACE INTO cursors (attempt, file, generation, offset, row_generation, row_offset, row_part)
    VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const updateRowCount = db.prepare('UPDATE attempts SET row_count = ? WHERE id = ?');
  const updateUsage = db.prepare('UPDATE attempts SET usage = ? WHERE id = ?');
  const remembered = new Map<string, Attempt>();

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
    /** What is there of an attempt. */
    find: (name: string): Attempt | undefined => {
      const row = select.get(name);
      return row === undefined ? undefined : attemptOf(row);
    },
    /** An attempt that is written to, made where it is new; whoever writes keeps what is remembered true. */
    open: (name: string): Attempt => {
      const known = remembered.get(name);
      if (known !== undefined) return known;
      const attempt = attemptOf(select.get(name) ?? insert.get(name) ?? {});
      if (remembered.size >= REMEMBERED) remembered.clear();
      remembered.set(name, attempt);
      return attempt;
    },
    /** What is there of a file; whoever changes it says so in it. */
    sourceOf: ({ sources }: Attempt, file: TranscriptRow['file']): Source => {
      const known = sources.get(file);
      if (known !== undefined) return known;
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
    /** For when what was written does not stand, or was written past this. */
    unlearn: (): void => remembered.clear(),
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

/** The file that a stored row is of. */
export function fileOf(row: Row): TranscriptRow['file'] {
  const file = textOf(row, 'file');
  if (file === 'stdout' || file === 'stderr' || file === 'engine') return file;
  throw new AppError('DATA_DAMAGED', `The database holds a row of an unknown file ${file}`, { file });
}
