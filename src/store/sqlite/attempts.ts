import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import type { TranscriptRow } from '../store.ts';
import { integerOf, type Row, textOf } from './columns.ts';

/** Where a row was read, and its place among those that were read there. */
export type Place = { generation: number; offset: number; part: number };

/** How far a file of an attempt was read, and the last row that came from it. */
export type Source = { generation: number; offset: number; last: Place };

/** What the database holds of an attempt besides its rows. */
export type Attempt = {
  id: number;
  usage: string | undefined;
  rowCount: number;
  sources: Map<TranscriptRow['file'], Source>;
};

const NO_PLACE: Place = { generation: -1, offset: -1, part: -1 };
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
    saveSource: ({ id, sources }: Attempt, file: TranscriptRow['file'], source: Source): void => {
      const { generation, offset, last } = source;
      replaceSource.run(id, file, generation, offset, last.generation, last.offset, last.part);
      sources.set(file, source);
    },
    saveUsage: (attempt: Attempt, usage: string): void => {
      updateUsage.run(usage, attempt.id);
      attempt.usage = usage;
    },
    /** For when what was written does not stand, or was written past this. */
    unlearn: (): void => remembered.clear(),
  };
}

/** A file that was never read. */
export function unreadSource(): Source {
  return { generation: 0, offset: 0, last: NO_PLACE };
}

/** Which of two places comes first: below 0 if the first does. */
export function comparePlaces(one: Place, other: Place): number {
  return one.generation - other.generation || one.offset - other.offset || one.part - other.part;
}

function sourceOf(row: Row): Source {
  const last = {
    generation: integerOf(row, 'row_generation'),
    offset: integerOf(row, 'row_offset'),
    part: integerOf(row, 'row_part'),
  };
  return { generation: integerOf(row, 'generation'), offset: integerOf(row, 'offset'), last };
}

/** The file that a stored row is of. */
export function fileOf(row: Row): TranscriptRow['file'] {
  const file = textOf(row, 'file');
  if (file === 'stdout' || file === 'stderr' || file === 'engine') return file;
  throw new AppError('DATA_DAMAGED', `The database holds a row of an unknown file ${file}`, { file });
}
