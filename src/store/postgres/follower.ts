import type { DatabaseSync } from 'node:sqlite';
import type { World } from '../../world.ts';
import { prepareEvents } from '../sqlite/events.ts';
import type { TransactionHooks } from '../sqlite/transaction.ts';
import { prepareNewRows } from '../sqlite/transcript.ts';
import type { ChangeCollector } from './changes.ts';
import type { Connection } from './connection.ts';
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
/** How long a commit whose notification was lost remains unseen. */
const POLL_MS = 2_000;

/** Keeps the local file of a process that does not lead up to date, and notifies its listeners of what the leader wrote. */
export class Follower implements AsyncDisposable {
  readonly #parts: Parts;
  #cancel: () => void;
  #pulling: Promise<void> | undefined;
  #isAgain = false;
  #isListening = false;
  #isEnded = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#cancel = this.#after(FIRST_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true;
    this.#cancel();
    await this.#pulling;
  }

  #after(ms: number): () => void {
    const { world } = this.#parts;
    return world.alarm(world.now() + ms, () => this.#pull());
  }

  /** Pulls now, or again after the pull that is in flight. */
  #pull(): void {
    if (this.#isEnded) return;
    this.#isAgain = true;
    this.#pulling ??= this.#pullAll().finally(() => {
      this.#pulling = undefined;
      this.#cancel();
      if (!this.#isEnded) this.#cancel = this.#after(POLL_MS);
    });
  }

  async #pullAll(): Promise<void> {
    const { connection, db } = this.#parts;
    while (this.#isAgain && !this.#isEnded) {
      this.#isAgain = false;
      try {
        if (!connection.isOpen) this.#isListening = false;
        const pulled = await connection.use(async (client) => {
          if (!this.#isListening) {
            client.on('notification', () => this.#pull());
            await client.query(`LISTEN ${COMMITS_CHANNEL}`);
            this.#isListening = true;
          }
          return pullChanges(client, db);
        });
        this.#publish(pulled);
      } catch {
        // Safe: it is tried again after a pause; a file that cannot be used is reported when the store is opened.
        return;
      }
    }
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
