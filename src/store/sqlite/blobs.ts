import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import { textOf } from './columns.ts';
import { prepare } from './statement.ts';

/** The hash under which a text is stored. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The statements on texts that are stored once under their hash. */
export function prepareBlobs(db: DatabaseSync) {
  const insert = prepare(db, 'INSERT INTO blobs (hash, text) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING');
  const select = prepare(db, 'SELECT text FROM blobs WHERE hash = ?');
  const all = prepare(db, 'SELECT hash, text FROM blobs');

  return {
    put: (hash: string, text: string): void => {
      insert.run(hash, text);
    },
    get: (hash: string): string | undefined => {
      const row = select.get(hash);
      if (row === undefined) return undefined;
      const text = textOf(row, 'text');
      if (hashOf(text) === hash) return text;
      throw new AppError(
        'DATA_DAMAGED',
        `The stored text ${hash.slice(0, 12)} was changed: it does not match its hash`,
        {
          hash,
        },
      );
    },
    damaged: (): string[] => {
      const found: string[] = [];
      for (const row of all.iterate()) {
        const hash = textOf(row, 'hash');
        if (hashOf(textOf(row, 'text')) !== hash) found.push(hash);
      }
      return found;
    },
  };
}
