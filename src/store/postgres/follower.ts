import type { DatabaseSync } from 'node:sqlite';
import type { World } from '../../world.ts';
import { prepareEvents } from '../sqlite/events.ts';
import type { TransactionHooks } from '../sqlite/transaction.ts';
import { prepareNewRows } from '../sqlite/transcript.ts';
import type { ChangeCollector } from './changes.ts';
import type { Connection } from './connection.ts';
import { NotifiedReading } from './notified-reading.ts';
import { type Pulled, pullChanges } from './replica.ts';
import { COMMITS_CHANNEL } from './write-changes.ts';

type Parts = {
  db: DatabaseSync;
  connection: Connection;
  world: World;
  hooks: TransactionHooks;
  changes: ChangeCollector;
};

/** A command that only reads ends before this time, and needs no second connection. */
const FIRST_MS = 1_000;
/** How long a commit remains unseen whose notification was lost without the connection. */
const SAFETY_MS = 60_000;

/** Keeps the local file of a process that does not lead up to date, and notifies its listeners of what the leader wrote. */
export class Follower implements AsyncDisposable {
  readonly #parts: Parts;
  readonly #reading: NotifiedReading;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { connection, world, db } = parts;
    this.#reading = new NotifiedReading({
      connection,
      world,
      channels: [COMMITS_CHANNEL],
      read: async (client) => {
        this.#publish(await pullChanges(client, db));
        return SAFETY_MS;
      },
    });
    this.#reading.requestAfter(FIRST_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reading[Symbol.asyncDispose]();
  }

  #publish({ positions, afterRow }: Pulled): void {
    const { db, hooks, changes } = this.#parts;
    const [first] = positions;
    changes.markShared();
    hooks.rolledBack();
    const isNew = new Set(positions);
    const events = first === undefined ? [] : prepareEvents(db).readAll(first - 1, -1);
    const rows = prepareNewRows(db)(afterRow);
    hooks.publish(
      events.filter(({ position }) => isNew.has(position)),
      rows,
    );
  }
}
