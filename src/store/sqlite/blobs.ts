import type { DatabaseSync } from 'node:sqlite';
import { textOf } from './columns.ts';

/** The statements on texts that are stored once under their hash. */
export function prepareBlobs(db: DatabaseSync) {
  const insert = db.prepare('INSERT INTO blobs (hash, text) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING');
  const select = db.prepare('SELECT text FROM blobs WHERE hash = ?');

  return {
    put: (hash: string, text: string): void => {
      insert.run(hash, text);
    },
    get: (hash: string): string | undefined => {
      const row = select.get(hash);
      return row === undefined ? undefined : textOf(row, 'text');
    },
  };
}
