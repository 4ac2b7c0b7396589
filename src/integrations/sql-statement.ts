/** Functions that wait, end other sessions, or act outside the transaction; the time limit ends what this does not find. */
const REFUSED_FUNCTIONS =
  /\b(pg_sleep(?:_for|_until)?|pg_(?:terminate|cancel)_backend|pg_(?:try_)?advisory_\w+|pg_logical_emit_message|pg_notify|dblink\w*|lo_\w+|load_extension|setval|nextval)\b/i;
const FIRST_WORDS: ReadonlySet<string> = new Set(['select', 'with', 'values', 'table']);
const LEADING = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*(?:(?!\/\*)[\s\S])*?\*\/|\()+/;

/** One statement that reads, without its last semicolon; or why it is refused before a database sees it. */
export function readingStatement(sql: string): { sql: string } | { refused: string } {
  const statement = sql.trim().replace(/\s*;$/, '');
  const [word = ''] = /^\w*/.exec(statement.replace(LEADING, '')) ?? [];
  if (statement.includes('\0')) return { refused: 'The statement contains a null character' };
  if (!FIRST_WORDS.has(word.toLowerCase()))
    return { refused: `Only a query is allowed (SELECT, WITH, VALUES, TABLE), not ${word || 'this'}` };
  const [, name] = REFUSED_FUNCTIONS.exec(statement) ?? [];
  if (name !== undefined) return { refused: `${name} is refused: it waits, or acts outside the query` };
  return { sql: statement };
}
