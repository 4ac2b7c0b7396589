import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import { crashpoint, type World } from '../../world.ts';
import { fromSqliteError, spoilsTransaction } from './sqlite-error.ts';

export interface GroupCommit {
  /** Does the work in the next transaction, in a savepoint of its own; resolves after the commit, once `committed` was told. */
  add<T>(work: () => T, committed?: (value: T) => void): Promise<T>;
  /** Commits what waits, and refuses what comes later. */
  close(): void;
}

/** `perform` gives the acknowledgement that is due when the commit stands. */
type Job = { perform(): () => void; fail(error: unknown): void };

/** Work beyond this waits for the next transaction: nobody waits long for others, nor the event loop for us. */
const LONGEST_TRANSACTION_MS = 20;

/** Puts the work of one turn of the event loop into one transaction: one fsync for all, acknowledged only after it. */
export function createGroupCommit(db: DatabaseSync, file: string, world: World): GroupCommit {
  const statements = prepareStatements(db);
  let queue: Job[] = [];
  let isScheduled = false;
  let isClosed = false;

  function schedule(): void {
    if (isScheduled || queue.length === 0) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      commitGroup();
      schedule();
    });
  }

  function commitGroup(): void {
    const waiting = queue;
    queue = [];
    if (waiting.length === 0) return;
    let acknowledgements: (() => void)[];
    try {
      acknowledgements = transact(waiting);
    } catch (error) {
      undo(waiting, fromSqliteError(error, file));
      return;
    }
    queue = waiting.slice(acknowledgements.length);
    for (const acknowledge of acknowledgements) acknowledge();
  }

  function transact(waiting: readonly Job[]): (() => void)[] {
    const deadline = world.now() + LONGEST_TRANSACTION_MS;
    const acknowledgements: (() => void)[] = [];
    statements.begin.run();
    for (const job of waiting) {
      acknowledgements.push(performAlone(job));
      if (world.now() >= deadline) break;
    }
    crashpoint('store.committing');
    statements.commit.run();
    crashpoint('store.committed');
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
      return () => job.fail(fromSqliteError(error, file));
    }
  }

  function undo(waiting: readonly Job[], reason: unknown): void {
    try {
      if (db.isTransaction) statements.rollback.run();
    } finally {
      for (const job of waiting) job.fail(reason);
    }
  }

  return {
    add: (work, committed = () => {}) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new AppError('INTERNAL', `The database ${file} is closed`, { file }));
        queue.push({ perform: () => acknowledgementOf(work(), committed, resolve), fail: reject });
        schedule();
      }),
    close: () => {
      isClosed = true;
      while (queue.length > 0) commitGroup();
    },
  };
}

function acknowledgementOf<T>(value: T, committed: (value: T) => void, resolve: (value: T) => void): () => void {
  return () => {
    committed(value);
    resolve(value);
  };
}

function prepareStatements(db: DatabaseSync) {
  return {
    begin: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    rollback: db.prepare('ROLLBACK'),
    savepoint: db.prepare('SAVEPOINT work'),
    release: db.prepare('RELEASE work'),
    rollbackTo: db.prepare('ROLLBACK TO work'),
  };
}
