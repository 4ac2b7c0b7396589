import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import { crashpoint, type World } from '../../world.ts';
import { fromSqliteError, spoilsTransaction } from './sqlite-error.ts';

export interface GroupCommit {
  /**
   * Does the work in the next transaction, where it fails alone; resolves after the commit and after `committed`. The
   * work is repeated after a rollback if other work of the same transaction failed.
   * Deferred work waits after a transaction, in proportion to its duration, so that under load more of it shares the
   * next one; and it does not wait for the disk: a crash of this process loses none of it, and what a power failure
   * loses can be read again from its source.
   */
  add<T>(work: () => T, committed?: (value: T) => void, urgency?: Urgency): Promise<T>;
  /** Continues after commits were blocked. */
  resume(): void;
  /** Commits the queued work, and refuses later work. */
  close(): void;
}

/** `perform` returns the acknowledgement to call after the commit. */
type Job = { perform(): () => void; fail(error: unknown): void; urgency: Urgency };

/** `committing` is the last work of every transaction; `committed` is called after it, `rolledBack` after any rollback; none begins while `isBlocking`. */
type TransactionHooks = { committing(): void; committed(): void; rolledBack(): void; isHolding(): boolean };

type Urgency = 'urgent' | 'deferred';

/** Further work waits for the next transaction, so that neither callers nor the event loop wait long. */
const MAX_TRANSACTION_MS = 20;
/** The length of a pause relative to the transaction before it. */
const PAUSE_RATIO = 1;
/** The longest pause, also if the clock was set back. */
const MAX_PAUSE_MS = 3;

/** Puts the work of one event loop iteration into one transaction: one fsync for all, acknowledged only after it. */
export function createGroupCommit(db: DatabaseSync, file: string, world: World, hooks: TransactionHooks): GroupCommit {
  const statements = prepareStatements(db);
  let queue: Job[] = [];
  let isScheduled = false;
  let isSynchronous = true;
  let isClosed = false;
  let pausedUntil = 0;
  let wake: (() => void) | undefined;

  function scheduleAfterPause(): void {
    if (isScheduled || wake !== undefined) return;
    const remaining = pausedUntil - world.now();
    if (remaining <= 0 || remaining > MAX_PAUSE_MS) {
      schedule();
      return;
    }
    wake = world.alarm(pausedUntil, () => {
      wake = undefined;
      schedule();
    });
  }

  function schedule(): void {
    if (isScheduled || queue.length === 0 || hooks.isHolding()) return;
    wake?.();
    wake = undefined;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      if (!hooks.isHolding()) commitGroup();
      schedule();
    });
  }

  function commitGroup(): void {
    const jobs = queue;
    queue = [];
    if (jobs.length === 0) return;
    let acknowledgements: (() => void)[];
    const start = world.now();
    try {
      acknowledgements = transact(jobs);
    } catch (error) {
      failAll(jobs, fromSqliteError(error, file));
      return;
    }
    const end = world.now();
    pausedUntil = end + Math.min((end - start) * PAUSE_RATIO, MAX_PAUSE_MS);
    queue = jobs.slice(acknowledgements.length);
    for (const acknowledge of acknowledgements) acknowledge();
    hooks.committed();
  }

  function transact(jobs: readonly Job[]): (() => void)[] {
    setDurability(jobs.some(({ urgency }) => urgency === 'urgent'));
    statements.begin.run();
    const acknowledgements = performTogether(jobs) ?? performSeparately(jobs);
    hooks.committing();
    crashpoint('store.committing');
    statements.commit.run();
    crashpoint('store.committed');
    return acknowledgements;
  }

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

  function setDurability(isDurable: boolean): void {
    if (isDurable === isSynchronous) return;
    db.exec(`PRAGMA synchronous = ${isDurable ? 'FULL' : 'NORMAL'}`);
    isSynchronous = isDurable;
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

  function failAll(jobs: readonly Job[], reason: unknown): void {
    try {
      if (db.isTransaction) statements.rollback.run();
    } finally {
      hooks.rolledBack();
      for (const job of jobs) job.fail(reason);
    }
  }

  return {
    add: (work, committed = () => {}, urgency = 'urgent') =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new AppError('INTERNAL', `The database ${file} is closed`, { file }));
        queue.push({ perform: () => acknowledgementOf(work(), committed, resolve), fail: reject, urgency });
        if (urgency === 'deferred') scheduleAfterPause();
        else schedule();
      }),
    resume: schedule,
    close: () => {
      isClosed = true;
      wake?.();
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
