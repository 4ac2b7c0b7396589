import type { DatabaseSync } from 'node:sqlite';
import type { PageQuery, TranscriptEntry } from '../store.ts';
import { integerOf } from './columns.ts';
import { entryOf, PAGE_ROWS } from './transcript.ts';

/** The statements that find rows by their position in an attempt. */
export function preparePages(db: DatabaseSync) {
  const selectCount = db.prepare('SELECT row_count FROM attempts WHERE attempt = ?');
  const selectRows = db.prepare(`
    SELECT transcript.*, ?1 AS name FROM transcript WHERE id IN (
      SELECT transcript.id FROM attempts JOIN pages ON pages.attempt = attempts.id AND pages.page = ?2
        JOIN transcript ON transcript.attempt = attempts.id AND transcript.id >= pages.first_id
      WHERE attempts.attempt = ?1 ORDER BY transcript.id LIMIT ?4 OFFSET ?3
    ) ORDER BY id`);
  const selectPage = db.prepare(`
    SELECT pages.attempt, page, first_id FROM attempts JOIN pages ON pages.attempt = attempts.id
    WHERE attempts.attempt = ? AND first_id <= ? ORDER BY page DESC LIMIT 1`);
  const selectBetween = db.prepare(
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
