import type { DatabaseSync } from 'node:sqlite';
import type { RunTranscriptQuery, TranscriptEntry } from '../store.ts';
import { integerOf } from './columns.ts';
import { entryOf } from './transcript.ts';

/** So many rows, of all runs, are looked at before it is asked where the next one of this run is. */
const LOOKED_AT = 10_000;

/** The statements on what was said in a whole run; the names of its attempts lie side by side, their rows among those of others. */
export function prepareRunTranscript(db: DatabaseSync) {
  const selectNext = db.prepare(`
    SELECT min((SELECT min(id) FROM transcript WHERE transcript.attempt = attempts.id AND transcript.id > ?2)) AS next
    FROM attempts WHERE attempts.attempt >= ?1 || '-' AND attempts.attempt < ?1 || '.'`);
  const selectRows = db.prepare(`
    SELECT transcript.*, attempts.attempt AS name FROM transcript CROSS JOIN attempts ON attempts.id = transcript.attempt
    WHERE transcript.id > ?2 AND transcript.id <= ?2 + ${LOOKED_AT}
      AND attempts.attempt >= ?1 || '-' AND attempts.attempt < ?1 || '.'
    ORDER BY transcript.id LIMIT ?3`);

  /** No row is given only where none is left. */
  return ({ run, after = 0, limit }: RunTranscriptQuery): TranscriptEntry[] => {
    const near = selectRows.all(run, after, limit);
    if (near.length > 0) return near.map(entryOf);
    const { next = null } = selectNext.get(run, after) ?? {};
    return next === null ? [] : selectRows.all(run, integerOf({ next }, 'next') - 1, limit).map(entryOf);
  };
}
