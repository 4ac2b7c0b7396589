import type { DatabaseSync } from 'node:sqlite';
import type { World } from '../../world.ts';
import type { StoredEvent, TranscriptEntry } from '../store.ts';
import { fromSqliteError, spoilsTransaction } from './sqlite-error.ts';
import { prepare } from './statement.ts';

/** Deferred work may share a later transaction with more of its kind; urgent work may not wait. */
export type Urgency = 'urgent' | 'deferred';

/** `perform` returns the acknowledgement to call after the commit. */
export type Job = { perform(): () => void; fail(error: unknown): void; urgency: Urgency };

/**
 * `committing` is the last work of every transaction; `committed` is called after it, `rolledBack` after any rollback, or
 * after writes of others; none begins while `isHolding`. `publish` notifies listeners of what others wrote.
 */
export type TransactionHooks = {
  committing(): void;
  committed(): void;
  rolledBack(): void;
  isHolding(): boolean;
  publish(events: StoredEvent[], rows: TranscriptEntry[]): void;
};

/** Several jobs in one transaction, each of which fails alone. */
export interface Transactions {
  /** Begins a transaction and does the jobs in it, as many as there is time for; returns the acknowledgements of those. */
  perform(jobs: readonly Job[]): (() => void)[];
  commit(): void;
  /** Rolls back, and fails the jobs. */
  fail(jobs: readonly Job[], reason: unknown): void;
}

/** Further work waits for the next transaction, so that neither callers nor the event loop wait long. */
const MAX_TRANSACTION_MS = 20;

/** The transactions of a connection. */
export function createTransactions(
  db: DatabaseSync,
  file: string,
  world: World,
  hooks: Pick<TransactionHooks, 'committing' | 'rolledBack'>,
): Transactions {
  const statements = prepareStatements(db);

  /** Failures are rare, and savepoints would cost more than the work, because the full-text index is flushed at each. */
  function performTogether(jobs: readonly Job[]): (() => void)[] | undefined {
    try {
      return performInTime(jobs, (job) => job.perform());
    } catch (error) {
      if (spoilsTransaction(error) || !db.isTransaction) throw error;
      statements.rollback.run();
      hooks.rolledBack();
      statements.begin.run();
      return undefined;
    }
  }

  function performSeparately(jobs: readonly Job[]): (() => void)[] {
    return performInTime(jobs, performAlone);
  }

  function performInTime(jobs: readonly Job[], perform: (job: Job) => () => void): (() => void)[] {
    const deadline = world.now() + MAX_TRANSACTION_MS;
    const acknowledgements: (() => void)[] = [];
    for (const job of jobs) {
      acknowledgements.push(perform(job));
      if (world.now() >= deadline) break;
    }
    return acknowledgements;
  }

  function performAlone(job: Job): () => void {
    statements.savepoint.run();
    try {
      const acknowledge = job.perform();
      statements.release.run();
      return acknowledge;
    } catch (error) {
      if (spoilsTransaction(error) || !db.isTransaction) throw error;
      statements.rollbackTo.run();
      statements.release.run();
      hooks.rolledBack();
      return () => job.fail(fromSqliteError(error, file));
    }
  }

  return {
    perform: (jobs) => {
      statements.begin.run();
      const acknowledgements = performTogether(jobs) ?? performSeparately(jobs);
      hooks.committing();
      return acknowledgements;
    },
    commit: () => {
      statements.commit.run();
    },
    fail: (jobs, reason) => {
      try {
        if (db.isTransaction) statements.rollback.run();
      } finally {
        hooks.rolledBack();
        for (const job of jobs) job.fail(reason);
      }
    },
  };
}

/** A job of work whose promise is resolved after the commit and after `committed`. */
export function jobOf<T>(
  work: () => T,
  committed: (value: T) => void,
  settle: { resolve: (value: T) => void; reject: (error: unknown) => void; urgency: Urgency },
): Job {
  return {
    perform: () => {
      const value = work();
      return () => {
        committed(value);
        settle.resolve(value);
      };
    },
    fail: settle.reject,
    urgency: settle.urgency,
  };
}

function prepareStatements(db: DatabaseSync) {
  return {
    begin: prepare(db, 'BEGIN IMMEDIATE'),
    commit: prepare(db, 'COMMIT'),
    rollback: prepare(db, 'ROLLBACK'),
    savepoint: prepare(db, 'SAVEPOINT work'),
    release: prepare(db, 'RELEASE work'),
    rollbackTo: prepare(db, 'ROLLBACK TO work'),
  };
}
