import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

/** What the statements of a store are used for. */
export type Statement = {
  all(...values: SQLInputValue[]): ReturnType<StatementSync['all']>;
  get(...values: SQLInputValue[]): ReturnType<StatementSync['get']>;
  iterate(...values: SQLInputValue[]): ReturnType<StatementSync['iterate']>;
  run(...values: SQLInputValue[]): ReturnType<StatementSync['run']>;
};

/** A statement that is compiled when it is first used: a command uses few of them. */
export function prepare(db: DatabaseSync, sql: string): Statement {
  let compiled: StatementSync | undefined;
  const statement = (): StatementSync => {
    compiled ??= db.prepare(sql);
    return compiled;
  };
  return {
    all: (...values) => statement().all(...values),
    get: (...values) => statement().get(...values),
    iterate: (...values) => statement().iterate(...values),
    run: (...values) => statement().run(...values),
  };
}
