import type { DatabaseSync } from 'node:sqlite';

/** The first row of so many is on record, so that no more than so many are ever skipped; the migration that made the table says the same. */
export const PAGE_ROWS = 512;

/** Counts a row that is added to an attempt, in the transaction that adds it; who adds the last one stores the count. */
export function prepareRowCount(db: DatabaseSync) {
  const insertPage = db.prepare('INSERT INTO pages (attempt, page, first_id) VALUES (?, ?, ?)');

  return (attempt: { readonly id: number; rowCount: number }, row: number): void => {
    if (attempt.rowCount % PAGE_ROWS === 0) insertPage.run(attempt.id, attempt.rowCount / PAGE_ROWS, row);
    attempt.rowCount += 1;
  };
}
