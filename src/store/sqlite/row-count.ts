import type { DatabaseSync } from 'node:sqlite';

/** The first row of every page is stored, so that a lookup skips at most one page; the same number as in the migration. */
export const PAGE_ROWS = 512;

/** Counts a row that is added to an attempt, in the same transaction; the caller stores the count after the last one. */
export function prepareRowCount(db: DatabaseSync) {
  const insertPage = db.prepare('INSERT INTO pages (attempt, page, first_id) VALUES (?, ?, ?)');

  return (attempt: { readonly id: number; rowCount: number }, row: number): void => {
    if (attempt.rowCount % PAGE_ROWS === 0) insertPage.run(attempt.id, attempt.rowCount / PAGE_ROWS, row);
    attempt.rowCount += 1;
  };
}
