import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../errors.ts';
import { RowCollector } from './collect-rows.ts';
import type { DatabaseAnswer, DatabaseRequest } from './query-database.ts';

/** SQLite's own memory, which is not on the heap. */
const HEAP_BYTES = 128 * 1024 * 1024;
const WRITES = /readonly database|not authorized|attempt to write/i;

/**
 * A query of an SQLite file, opened to be read only. As a part of another query it can be nothing but one query: ATTACH,
 * PRAGMA and VACUUM INTO, which also work on such a file, are syntax errors there. The process that runs it is ended at
 * the time limit.
 */
export async function querySqlite(file: string, { sql, ...limits }: DatabaseRequest): Promise<DatabaseAnswer> {
  if (!statSync(file).isFile()) return { kind: 'failed', reason: `${file} is not a file` };
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    database.exec(`PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA hard_heap_limit = ${HEAP_BYTES}`);
    const statement = database.prepare(`SELECT * FROM (\n${sql}\n)`);
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    const collector = new RowCollector(limits);
    // With arrays each row is one, which the types of Node do not say.
    for (const row of statement.iterate() as Iterable<unknown>) if (!collector.add(row as unknown[])) break;
    return { kind: 'rows', ...collector.result(statement.columns().map(({ name }) => name)) };
  } catch (error) {
    const reason = messageOf(error);
    if (/near ";"/.test(reason)) return { kind: 'refused', reason: 'Only one statement is allowed' };
    return { kind: WRITES.test(reason) ? 'refused' : 'failed', reason };
  } finally {
    database.close();
  }
}
