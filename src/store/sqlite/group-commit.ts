import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import { crashpoint, type World } from '../../world.ts';
import { fromSqliteError, spoilsTransaction } from './sqlite-error.ts';

export interface GroupCommit {
  /**
   * Does the work in the next transaction, where it fails alone; resolves after the commit, once `committed` was told. The
   * work is done a second time, on what was there before, when other work of the same transaction failed.
   * What is patient rests after a transaction, the longer the longer that took, so that under load more of it shares the
   * next one; and it does not wait for the disk: a crash of ours loses none of it, and what a power cut takes with it, in
   * the order of the commits, can be read again where it came from.
   */
  add<T>(work: () => T, committed?: (value: T) => void, haste?: Haste): Promise<T>;
  /** Goes on when nothing is held any more. */
  resume(): void;
  /** Commits what waits, and refuses what comes later. */
  close(): void;
}

/** `perform` gives the acknowledgement that is due when the commit stands. */
type Job = { perform(): () => void; fail(error: unknown): void; haste: Haste };

/** `committing` is the last work of every transaction; `committed` comes after it, `undone` when it, or a part of it, does not stand; none begins while it `isHolding`. */
type Around = { committing(): void; committed(): void; undone(): void; isHolding(): boolean };

type Haste = 'urgent' | 'patient';

/** Work beyond this waits for the next transaction: nobody waits long for others, nor the event loop for us. */
const LONGEST_TRANSACTION_MS = 20;
/** A rest is so many times as long as the transaction before it. */
const REST_RATIO = 1;
/** Patience ends here, also where the clock was set back. */
const LONGEST_REST_MS = 3;

/** Puts the work of one turn of the event loop into one transaction: one fsync for all, acknowledged only after it. */
export function createGroupCommit(db: DatabaseSync, file: string, world: World, around: Around): GroupCommit {
  const statements = prepareStatements(db);
  let queue: Job[] = [];
  let isScheduled = false;
  let isWaiting = true;
  let isClosed = false;
  let restsUntil = 0;
  let wake: (() => void) | undefined;

  function rest(): void {
    if (isScheduled || wake !== undefined) return;
    const left = restsUntil - world.now();
    if (left <= 0 || left > LONGEST_REST_MS) {
      schedule();
      return;
    }
    wake = world.alarm(restsUntil, () => {
      wake = undefined;
      schedule();
    });
  }

  function schedule(): void {
    if (isScheduled || queue.length === 0 || around.isHolding()) return;
    wake?.();
    wake = undefined;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      if (!around.isHolding()) commitGroup();
      schedule();
    });
  }

  function commitGroup(): void {
    const waiting = queue;
    queue = [];
    if (waiting.length === 0) return;
    let acknowledgements: (() => void)[];
    const start = world.now();
    try {
      acknowledgements = transact(waiting);
    } catch (error) {
      undo(waiting, fromSqliteError(error, file));
      return;
    }
    const end = world.now();
    restsUntil = end + Math.min((end - start) * REST_RATIO, LONGEST_REST_MS);
    queue = waiting.slice(acknowledgements.length);
    for (const acknowledge of acknowledgements) acknowledge();
    around.committed();
  }

  function transact(waiting: readonly Job[]): (() => void)[] {
    waitForDisk(waiting.some(({ haste }) => haste === 'urgent'));
    statements.begin.run();
    const acknowledgements = performTogether(waiting) ?? performApart(waiting);
    around.committing();
    crashpoint('store.committing');
    statements.commit.run();
    crashpoint('store.committed');
    return acknowledgements;
  }

  /** Nearly always nothing fails: savepoints would cost more than the work, as the index of words writes itself out at each. */
  function performTogether(waiting: readonly Job[]): (() => void)[] | undefined {
    try {
      return performInTime(waiting, (job) => job.perform());
    } catch (error) {
      if (spoilsTransaction(error) || !db.isTransaction) throw error;
      statements.rollback.run();
      around.undone();
      statements.begin.run();
      return undefined;
    }
  }

  function performApart(waiting: readonly Job[]): (() => void)[] {
    return performInTime(waiting, performAlone);
  }

  function performInTime(waiting: readonly Job[], perform: (job: Job) => () => void): (() => void)[] {
    const deadline = world.now() + LONGEST_TRANSACTION_MS;
    const acknowledgements: (() => void)[] = [];
    for (const job of waiting) {
      acknowledgements.push(perform(job));
      if (world.now() >= deadline) break;
    }
    return acknowledgements;
  }

  function waitForDisk(waits: boolean): void {
    if (waits === isWaiting) return;
    db.exec(`PRAGMA synchronous = ${waits ? 'FULL' : 'NORMAL'}`);
    isWaiting = waits;
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
      around.undone();
      return () => job.fail(fromSqliteError(error, file));
    }
  }

  function undo(waiting: readonly Job[], reason: unknown): void {
    try {
      if (db.isTransaction) statements.rollback.run();
    } finally {
      around.undone();
      for (const job of waiting) job.fail(reason);
    }
  }

  return {
    add: (work, committed = () => {}, haste = 'urgent') =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new AppError('INTERNAL', `The database ${file} is closed`, { file }));
        queue.push({ perform: () => acknowledgementOf(work(), committed, resolve), fail: reject, haste });
        if (haste === 'patient') rest();
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
