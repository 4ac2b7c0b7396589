import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import { crashpoint, type World } from '../../world.ts';
import type { GroupCommit } from '../sqlite/group-commit.ts';
import { fromSqliteError } from '../sqlite/sqlite-error.ts';
import { createTransactions, type Job, jobOf, type TransactionHooks } from '../sqlite/transaction.ts';
import type { ChangeCollector } from './changes.ts';
import type { Leadership } from './leadership.ts';
import { prepareAdvance } from './replica.ts';

type Parts = {
  db: DatabaseSync;
  file: string;
  world: World;
  leadership: Leadership;
  changes: ChangeCollector;
  /** Becomes the leader, if this process is not, and brings the file up to date. */
  lead(): Promise<void>;
};

/**
 * Puts the work that is waiting into one transaction of the local file, makes its changes durable in PostgreSQL, and only
 * then commits the file: what can be read locally is in PostgreSQL. More work waits meanwhile and shares the next one.
 */
export function createPostgresCommit(parts: Parts, hooks: TransactionHooks): GroupCommit {
  const { db, file, world, leadership, changes } = parts;
  const transactions = createTransactions(db, file, world, hooks);
  const advanceReplica = prepareAdvance(db);
  let queue: Job[] = [];
  let running: Promise<void> | undefined;
  let isClosed = false;

  function schedule(): void {
    if (running !== undefined || queue.length === 0 || hooks.isHolding()) return;
    running = runQueue().finally(() => {
      running = undefined;
      schedule();
    });
  }

  async function runQueue(): Promise<void> {
    await nextTurn();
    while (queue.length > 0 && !hooks.isHolding()) await commitGroup();
  }

  async function commitGroup(): Promise<void> {
    let jobs: Job[] = [];
    try {
      await parts.lead();
      jobs = queue;
      queue = [];
      const acknowledgements = transactions.perform(jobs);
      await commit();
      queue = [...jobs.slice(acknowledgements.length), ...queue];
      for (const acknowledge of acknowledgements) acknowledge();
    } catch (error) {
      // Before the jobs were taken, those that wait cannot be done either.
      const failed = jobs.length > 0 ? jobs : queue.splice(0);
      transactions.fail(failed, fromSqliteError(error, file));
      return;
    }
    hooks.committed();
  }

  async function commit(): Promise<void> {
    const changed = changes.collect();
    if (changed === undefined) return transactions.commit();
    const number = await leadership.commit(changed);
    try {
      changes.markShared();
      advanceReplica(number);
      crashpoint('shared.copying');
      transactions.commit();
    } catch (error) {
      leadership.fail(fromSqliteError(error, file));
      throw error;
    }
  }

  return {
    add: (work, committed = () => {}, urgency = 'urgent') =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new AppError('INTERNAL', `The database ${file} is closed`, { file }));
        queue.push(jobOf(work, committed, { resolve, reject, urgency }));
        schedule();
      }),
    resume: schedule,
    close: async () => {
      isClosed = true;
      leadership.beginClosing();
      while (running !== undefined || queue.length > 0) {
        schedule();
        await (running ?? nextTurn());
      }
    },
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
