import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { World } from '../../world.ts';

/** Moves what was committed from the write-ahead log into the database. */
export interface Checkpoints {
  /** Is told after each commit. */
  committed(): void;
  /** Whether it is better not to commit just now. */
  isHolding(): boolean;
  close(): Promise<void>;
}

/** Who commits more often than this has a thread that moves; for the others the committing thread does it now and then. */
const FEW_COMMITS = 200;
/** SQLite's own measure, in pages, for the committing thread. */
const PAGES_ALONE = 1_000;
/** A log of so many pages is moved to its end, that it is begun anew. */
const PAGES_ENOUGH = 16_000;
/** The log's bound while a thread moves: beyond it the committing thread moves what is left. */
const PAGES_AT_MOST = 48_000;
const REST_MS = 2_000;

/** Text, so that the built program needs no file beside it. */
const MOVE = `
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync(workerData);
db.exec('PRAGMA fullfsync = ON');
const move = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
parentPort.on('message', (wish) => {
  if (wish === 'move') {
    parentPort.postMessage(move.get());
    return;
  }
  db.close();
  parentPort.close();
});
`;

/** What SQLite says of a checkpoint: how many pages the log had when it began. */
const Moved = z.object({ log: z.number() });

/**
 * A checkpoint takes tens of milliseconds, in which nothing else happens in its thread. So a thread of its own moves what is
 * there, while commits go on; what came meanwhile is little, and moved while commits are held: then the log is empty.
 */
export function createCheckpoints(db: DatabaseSync, file: string, world: World, onReleased: () => void): Checkpoints {
  let commits = 0;
  let thread: Worker | undefined;
  let state: 'idle' | 'moving' | 'holding' = 'idle';
  let restsUntil = 0;

  function begin(): Worker {
    const begun = new Worker(MOVE, { eval: true, workerData: file, resourceLimits: { maxYoungGenerationSizeMb: 1 } });
    begun.unref();
    begun.on('message', (said) => moved(begun, Moved.parse(said).log));
    // The committing thread can do without; a disk that fails fails its own commits, too.
    begun.on('error', () => {
      bound(PAGES_ALONE);
      rest();
    });
    bound(PAGES_AT_MOST);
    return begun;
  }

  function moved(by: Worker, log: number): void {
    if (state === 'moving' && log >= PAGES_ENOUGH) {
      state = 'holding';
      by.postMessage('move');
    } else {
      rest();
    }
  }

  function rest(): void {
    const wasHolding = state === 'holding';
    state = 'idle';
    restsUntil = world.now() + REST_MS;
    if (wasHolding) onReleased();
  }

  function bound(pages: number): void {
    if (db.isOpen) db.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
  }

  bound(PAGES_ALONE);
  return {
    committed: () => {
      commits += 1;
      if (commits < FEW_COMMITS || state !== 'idle' || world.now() < restsUntil) return;
      try {
        thread ??= begin();
        state = 'moving';
        thread.postMessage('move');
      } catch {
        // The machine has no thread left to give: it is tried again later, and until then the committing thread moves.
        rest();
      }
    },
    isHolding: () => state === 'holding',
    close: async () => {
      if (thread === undefined || thread.threadId === -1) return;
      const { promise: exited, resolve } = Promise.withResolvers<void>();
      thread.ref();
      thread.once('exit', () => resolve());
      thread.postMessage('close');
      await exited;
    },
  };
}
