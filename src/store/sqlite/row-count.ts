import type { DatabaseSync } from 'node:sqlite';

/** The first row of so many is on record, so that no more than so many are ever skipped; the migration that made the table says the same. */
export const PAGE_ROWS = 512;

/** Counts the rows that were added to an attempt which had some before, in the transaction that adds them. */
export function prepareRowCount(db: DatabaseSync) {
  const update = db.prepare('UPDATE attempts SET row_count = ? WHERE id = ?');
  const insertPage = db.prepare('INSERT INTO pages (attempt, page, first_id) VALUES (?, ?, ?)');

  return (attempt: number, before: number, ids: readonly number[]): void => {
    if (ids.length === 0) return;
    let count = before;
    for (const id of ids) {
      if (count % PAGE_ROWS === 0) insertPage.run(attempt, count / PAGE_ROWS, id);
      count += 1;
    }
    update.run(count, attempt);
  };
}
