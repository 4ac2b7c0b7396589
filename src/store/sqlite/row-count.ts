import type { DatabaseSync } from 'node:sqlite';

/** The first row of so many is on record, so that no more than so many are ever skipped; the migration that made the table says the same. */
export const PAGE_ROWS = 512;

/** Counts the rows that are added to an attempt, in the transaction that adds them. */
export function prepareRowCount(db: DatabaseSync) {
  const update = db.prepare('UPDATE attempts SET row_count = ? WHERE id = ?');
  const insertPage = db.prepare('INSERT INTO pages (attempt, page, first_id) VALUES (?, ?, ?)');

  return (attempt: { id: number; rowCount: number }, added: readonly { id: number }[]): void => {
    if (added.length === 0) return;
    for (const { id } of added) {
      if (attempt.rowCount % PAGE_ROWS === 0) insertPage.run(attempt.id, attempt.rowCount / PAGE_ROWS, id);
      attempt.rowCount += 1;
    }
    update.run(attempt.rowCount, attempt.id);
  };
}
