import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import { crashpoint, type World } from '../../world.ts';
import { fromSqliteError } from './sqlite-error.ts';
import { createTransactions, type Job, jobOf, type TransactionHooks, type Urgency } from './transaction.ts';

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
  close(): void | Promise<void>;
}

/** The length of a pause relative to the transaction before it. */
const PAUSE_RATIO = 1;
/** The longest pause, also if the clock was set back. */
const MAX_PAUSE_MS = 3;

/** Puts the work of one event loop iteration into one transaction: one fsync for all, acknowledged only after it. */
export function createGroupCommit(db: DatabaseSync, file: string, world: World, hooks: TransactionHooks): GroupCommit {
  const transactions = createTransactions(db, file, world, hooks);
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
      transactions.fail(jobs, fromSqliteError(error, file));
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
    const acknowledgements = transactions.perform(jobs);
    crashpoint('store.committing');
    transactions.commit();
    crashpoint('store.committed');
    return acknowledgements;
  }

  function setDurability(isDurable: boolean): void {
    if (isDurable === isSynchronous) return;
    db.exec(`PRAGMA synchronous = ${isDurable ? 'FULL' : 'NORMAL'}`);
    isSynchronous = isDurable;
  }

  return {
    add: (work, committed = () => {}, urgency = 'urgent') =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new AppError('INTERNAL', `The database ${file} is closed`, { file }));
        queue.push(jobOf(work, committed, { resolve, reject, urgency }));
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
