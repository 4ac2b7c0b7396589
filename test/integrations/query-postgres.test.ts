import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queryDatabase } from '../../src/integrations/query-database.ts';
import { type Postgres, query, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';
import { TESTS_ALL } from '../support/variants.ts';

const { signal } = new AbortController();

describe.skipIf(WITHOUT_POSTGRES !== undefined)('a query of PostgreSQL', () => {
  let server: Postgres;
  let owner: string;
  let reader: string;

  beforeAll(async () => {
    server = await startPostgres();
    owner = await server.createDatabase();
    reader = owner.replace('//manyhands@', '//reader:test@');
    await query(
      owner,
      `CREATE TABLE users (id bigint PRIMARY KEY, name text, at timestamptz DEFAULT now());
       INSERT INTO users (id, name) VALUES (1, 'ann'), (2, 'bob');
       CREATE SEQUENCE ids;
       CREATE FUNCTION write_it() RETURNS int LANGUAGE plpgsql AS $$ BEGIN DELETE FROM users; RETURN 1; END $$;
       CREATE FUNCTION write_as_owner() RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS
         $$ BEGIN DELETE FROM users; RETURN 1; END $$;
       CREATE FUNCTION wait_long() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(600); RETURN 1; END $$;
       CREATE ROLE reader LOGIN PASSWORD 'test'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
       CREATE ROLE writer LOGIN PASSWORD 'test'; GRANT SELECT, INSERT ON users TO writer;
       CREATE ROLE column_writer LOGIN PASSWORD 'test'; GRANT UPDATE (name) ON users TO column_writer;
       CREATE ROLE taker LOGIN PASSWORD 'test' NOINHERIT; GRANT writer TO taker;
       CREATE ROLE runner LOGIN PASSWORD 'test'; GRANT pg_execute_server_program TO runner;
       CREATE ROLE counter LOGIN PASSWORD 'test'; GRANT USAGE ON SEQUENCE ids TO counter`,
    );
  }, 120_000);
  afterAll(async () => server?.[Symbol.asyncDispose]());

  const ask = (sql: string, url = reader) => queryDatabase({ target: { url }, sql, maxRows: 50 }, signal);

  it('returns rows as text, also with two columns of the same name', async () => {
    expect(await ask("SELECT id, name, id, NULL AS nothing, '{1,2}'::int[] AS list FROM users ORDER BY id;")).toEqual({
      kind: 'rows',
      columns: ['id', 'name', 'id', 'nothing', 'list'],
      rows: [
        ['1', 'ann', '1', null, '{1,2}'],
        ['2', 'bob', '2', null, '{1,2}'],
      ],
      isCut: false,
    });
    const many = await ask('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n');
    expect(many).toMatchObject({ kind: 'rows', isCut: true });
    expect(many.kind === 'rows' && many.rows.length).toBe(50);
    expect(await ask("SELECT repeat('x', 100000000)")).toMatchObject({ kind: 'failed' });
  });

  it.each([
    ['a second statement', 'SELECT 1; DELETE FROM users'],
    ['a CTE that writes', 'WITH gone AS (DELETE FROM users RETURNING id) SELECT * FROM gone'],
    ['a function that writes', 'SELECT write_it()'],
    ['a function that writes with the rights of its owner', 'SELECT write_as_owner()'],
    ['SELECT INTO', 'SELECT * INTO copied FROM users'],
    ['a lock', 'SELECT * FROM users FOR UPDATE'],
    ['a read-write transaction', "SELECT set_config('transaction_read_only', 'off', false), write_as_owner()"],
    ['another role', "SELECT set_config('role', 'manyhands', false)"],
    ['a file of the server', "SELECT pg_read_file('/etc/passwd')"],
    ['dynamic SQL that writes', "SELECT query_to_xml('DEL' || 'ETE FROM users', true, true, '')"],
    ['end of the transaction', 'SELECT 1; COMMIT'],
  ])('refuses %s', async (_, sql) => {
    expect(await ask(sql)).toMatchObject({ kind: 'refused' });
    expect(await query(owner, 'SELECT count(*)::int AS count FROM users')).toEqual([{ count: 2 }]);
  });

  it.runIf(TESTS_ALL)(
    'ends what waits, although the query lifts the time limit, and leaves no session behind',
    async () => {
      const sql = "SELECT set_config('statement_timeout', '0', false), wait_long()";
      expect(await ask(sql)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('too long') });
      const sessions = () => query(owner, "SELECT 1 FROM pg_stat_activity WHERE application_name = 'manyhands-query'");
      while ((await sessions()).length > 0) await new Promise((resolve) => setTimeout(resolve, 100));
    },
    60_000,
  );

  it.each(['manyhands', 'writer', 'column_writer', 'taker', 'runner', 'counter'])(
    'refuses a role that may do more than read: %s',
    async (role) => {
      const answer = await ask('SELECT 1', owner.replace('//manyhands@', `//${role}:test@`));
      expect(answer).toMatchObject({ kind: 'refused', reason: expect.stringContaining('may do more than read') });
    },
  );

  it('does not repeat the password in an error', async () => {
    const url = owner.replace('//manyhands@', '//nobody:hunter2secret@');
    expect(JSON.stringify(await ask('SELECT 1', url))).not.toContain('hunter2secret');
  });
});
