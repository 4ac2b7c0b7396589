import { describe, expect, it } from 'vitest';
import { readingStatement } from '../../src/integrations/sql-statement.ts';

describe('a statement that an agent passes', () => {
  it.each([
    'select 1',
    ' SELECT 1 ; ',
    '-- why\nselect 1',
    '/* why */ with a as (select 1) select * from a',
    '(select 1) union (select 2)',
    'values (1)',
    'TABLE users',
  ])('is passed on if it is a query: %s', (sql) => {
    expect(readingStatement(sql)).toEqual({ sql: sql.replace(/[\s;]+$/, '').trim() });
  });

  it.each([
    'delete from users',
    '-- select\ndelete from users',
    '/* /* nested */ select 1 */ drop table users',
    'set role admin',
    'begin',
    'copy users to program $$id$$',
    'explain analyze delete from users',
    'do $$ begin end $$',
    'call write()',
    "attach 'other.db' as other",
    "vacuum into '/tmp/copy'",
    'pragma writable_schema = on',
    'selected',
    '',
    ';',
    'select pg_sleep(100)',
    'select PG_CATALOG.pg_sleep_for($$1 day$$)',
    "select dblink_exec('x', 'delete from users')",
    "select nextval('ids')",
    'select lo_create(0)',
    'select pg_terminate_backend(1)',
    'select 1\0',
  ])('is refused before a database sees it: %s', (sql) => {
    expect(readingStatement(sql)).toHaveProperty('refused');
  });
});
