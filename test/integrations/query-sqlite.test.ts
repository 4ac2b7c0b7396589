import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queryDatabase } from '../../src/integrations/query-database.ts';

const { signal } = new AbortController();
const folder = mkdtempSync(join(tmpdir(), 'manyhands-sqlite-'));
const file = join(folder, 'shop.db');
const other = join(folder, 'other.db');

beforeAll(() => {
  const database = new DatabaseSync(file);
  database.exec(`CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, picture BLOB);
    INSERT INTO users VALUES (1, 'ann', x'0102'), (9007199254740993, 'bob', NULL)`);
  database.close();
  const second = new DatabaseSync(other);
  second.exec("CREATE TABLE secrets (value TEXT); INSERT INTO secrets VALUES ('hidden')");
  second.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

const ask = (sql: string, maxRows = 100) => queryDatabase({ target: { file }, sql, maxRows }, signal);

describe('a query of an SQLite file', () => {
  it('returns rows as text, with NULL, numbers of 64 bits, and the length of what is not text', async () => {
    expect(await ask('SELECT u.id, u.name, picture, 1 AS id FROM users u ORDER BY u.id -- all')).toMatchObject({
      kind: 'rows',
      rows: [
        ['1', 'ann', '(2 bytes)', '1'],
        ['9007199254740993', 'bob', null, '1'],
      ],
      isCut: false,
    });
  });

  it('cuts long results and long cells', async () => {
    const many = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n';
    expect(await ask(many, 3)).toEqual({ kind: 'rows', columns: ['i'], rows: [['1'], ['2'], ['3']], isCut: true });
    const wide = await ask('SELECT hex(zeroblob(1000000)) AS wide');
    expect(wide).toMatchObject({ kind: 'rows', isCut: true });
    expect(JSON.stringify(wide).length).toBeLessThan(3_000);
  });

  it('refuses or fails what would write, attach another file, or run a second statement, and changes nothing', async () => {
    const before = readFileSync(file);
    const copy = join(folder, 'copy.db');
    const attacks = [
      'SELECT 1; DELETE FROM users',
      `SELECT 1) ; ATTACH '${other}' AS o; SELECT * FROM (SELECT value FROM o.secrets`,
      `WITH a AS (SELECT 1) DELETE FROM users`,
      `WITH a AS (SELECT 1) INSERT INTO users VALUES (7, 'eve', NULL)`,
      `SELECT * FROM pragma_journal_mode('delete')`,
      `SELECT load_ext` + `ension('x.so')`,
      `SELECT writefile('${copy}', 'x')`,
      `SELECT 1) ; VACUUM INTO '${copy}' ; --`,
    ];
    const answers = await Promise.all(attacks.map((sql) => ask(sql)));
    for (const [index, answer] of answers.entries()) {
      expect(JSON.stringify(answer), attacks[index]).not.toContain('hidden');
      // What follows the closing bracket of a complete query is never run.
      if (!attacks[index]?.startsWith('SELECT 1)')) expect(answer.kind, attacks[index]).not.toBe('rows');
    }
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(existsSync(copy)).toBe(false);
  });
});
