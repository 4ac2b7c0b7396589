import type { DatabaseSync } from 'node:sqlite';
import type { RunTranscriptQuery, TranscriptEntry } from '../store.ts';
import { integerOf } from './columns.ts';
import { entryOf } from './transcript.ts';

/** The number of rows of all runs that are scanned before the next row of this run is looked up. */
const WINDOW_ROWS = 10_000;

/** The statements on the transcript of a whole run; the names of its attempts are adjacent, their rows are between those of other runs. */
export function prepareRunTranscript(db: DatabaseSync) {
  const selectNext = db.prepare(`
    SELECT min((SELECT min(id) FROM transcript WHERE transcript.attempt = attempts.id AND transcript.id > ?2)) AS next
    FROM attempts WHERE attempts.attempt >= ?1 || '-' AND attempts.attempt < ?1 || '.'`);
  const selectRows = db.prepare(`
    SELECT transcript.*, attempts.attempt AS name FROM transcript CROSS JOIN attempts ON attempts.id = transcript.attempt
    WHERE transcript.id > ?2 AND transcript.id <= ?2 + ${WINDOW_ROWS}
      AND attempts.attempt >= ?1 || '-' AND attempts.attempt < ?1 || '.'
    ORDER BY transcript.id LIMIT ?3`);

  /** Returns no rows only if none is left. */
  return ({ run, after = 0, limit }: RunTranscriptQuery): TranscriptEntry[] => {
    const rows = selectRows.all(run, after, limit);
    if (rows.length > 0) return rows.map(entryOf);
    const { next = null } = selectNext.get(run, after) ?? {};
    return next === null ? [] : selectRows.all(run, integerOf({ next }, 'next') - 1, limit).map(entryOf);
  };
}
