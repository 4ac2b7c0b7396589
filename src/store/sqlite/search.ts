import type { DatabaseSync } from 'node:sqlite';
import type { FindHit, FindQuery, SearchHit, SearchQuery } from '../store.ts';
import { integerOf, type Row, textOf } from './columns.ts';
import { prepare } from './statement.ts';

/** The maximum number of words in an excerpt, including the found ones. */
const EXCERPT_WORDS = 24;

/**
 * The statement that adds all new rows to the full-text index. It runs once per transaction: a trigger would run for each
 * row, and flush the index each time.
 */
export function prepareIndex(db: DatabaseSync) {
  const insert = prepare(
    db,
    `
    INSERT INTO transcript_words (rowid, text) SELECT id, text FROM transcript
    WHERE id > (SELECT coalesce(max(id), 0) FROM transcript_words_docsize)`,
  );

  return (): void => {
    insert.run();
  };
}

/** The statement on the full-text index; an attempt's name begins with its run's id and a dash. */
export function prepareSearch(db: DatabaseSync) {
  const select = prepare(
    db,
    `
    SELECT transcript.id, attempts.attempt, transcript.at, transcript.kind,
      snippet(transcript_words, 0, '', '', '…', ${EXCERPT_WORDS}) AS excerpt
    FROM transcript_words
      CROSS JOIN transcript ON transcript.id = transcript_words.rowid
      CROSS JOIN attempts ON attempts.id = transcript.attempt
    WHERE transcript_words MATCH ?1 AND transcript_words.rowid < ?2
      AND (?3 IS NULL OR substr(attempts.attempt, 1, length(?3) + 1) = ?3 || '-')
    ORDER BY transcript_words.rowid DESC LIMIT ?4`,
  );

  return ({ text, limit, before = Number.MAX_SAFE_INTEGER, run }: SearchQuery): SearchHit[] => {
    const terms = quoteTerms(text);
    if (terms === '') return [];
    return select.all(terms, before, run ?? null, limit).map(hitOf);
  };
}

/** The statement on the rows of one attempt: only the part of the index between its first and its last row is searched. */
export function prepareFind(db: DatabaseSync) {
  const selectEnds = prepare(
    db,
    `
    SELECT id,
      (SELECT min(id) FROM transcript WHERE transcript.attempt = attempts.id) AS first,
      (SELECT max(id) FROM transcript WHERE transcript.attempt = attempts.id) AS last
    FROM attempts WHERE attempt = ? AND row_count > 0`,
  );
  const select = prepare(
    db,
    `
    SELECT transcript.id, snippet(transcript_words, 0, '', '', '…', ${EXCERPT_WORDS}) AS excerpt
    FROM transcript_words CROSS JOIN transcript ON transcript.id = transcript_words.rowid
    WHERE transcript_words MATCH ?1 AND transcript_words.rowid BETWEEN ?2 AND ?3 AND transcript.attempt = ?4
    ORDER BY transcript_words.rowid LIMIT ?5`,
  );

  return ({ attempt, text, after, limit }: FindQuery): FindHit[] => {
    const terms = quoteTerms(text);
    const ends = selectEnds.get(attempt);
    if (terms === '' || ends === undefined) return [];
    const from = Math.max(after + 1, integerOf(ends, 'first'));
    const prefixQuery = /\s$/u.test(text) ? terms : `${terms} *`;
    return select
      .all(prefixQuery, from, integerOf(ends, 'last'), integerOf(ends, 'id'), limit)
      .map((row) => ({ id: integerOf(row, 'id'), excerpt: textOf(row, 'excerpt') }));
  };
}

/** Converts a text to a query for all of its words, quoted so that none is an operator of the query language. */
function quoteTerms(text: string): string {
  return text
    .split(/[\s\0]+/u)
    .filter((word) => /[\p{L}\p{N}\p{Co}]/u.test(word))
    .map((word) => `"${word.replaceAll('"', '""')}"`)
    .join(' ');
}

function hitOf(row: Row): SearchHit {
  return {
    id: integerOf(row, 'id'),
    attempt: textOf(row, 'attempt'),
    at: integerOf(row, 'at'),
    kind: textOf(row, 'kind'),
    excerpt: textOf(row, 'excerpt'),
  };
}
