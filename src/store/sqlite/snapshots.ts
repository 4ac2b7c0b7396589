import type { DatabaseSync } from 'node:sqlite';
import { integerOf, jsonOf } from './columns.ts';

type EncodedSnapshot = { stream: string; version: number; codec: string; json: string };

/** The statements on snapshots. */
export function prepareSnapshots(db: DatabaseSync) {
  const upsert = db.prepare(`
    INSERT INTO snapshots (stream, version, codec, state) VALUES (?, ?, ?, ?)
    ON CONFLICT (stream) DO UPDATE SET version = excluded.version, codec = excluded.codec, state = excluded.state
    WHERE excluded.version >= snapshots.version OR excluded.codec <> snapshots.codec`);
  const select = db.prepare('SELECT version, state FROM snapshots WHERE stream = ? AND codec = ?');

  return {
    save: ({ stream, version, codec, json }: EncodedSnapshot): void => {
      upsert.run(stream, version, codec, json);
    },
    load: (stream: string, codec: string): { version: number; state: unknown } | undefined => {
      const row = select.get(stream, codec);
      return row === undefined ? undefined : { version: integerOf(row, 'version'), state: jsonOf(row, 'state') };
    },
  };
}
