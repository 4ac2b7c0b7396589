import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { World } from '../../world.ts';

/** Moves committed pages from the write-ahead log into the database. */
export interface Checkpoints {
  /** To be called after each commit. */
  onCommit(): void;
  /** Whether commits must wait for a checkpoint. */
  isBlocking(): boolean;
  close(): Promise<void>;
}

/** After more commits than this a separate thread runs checkpoints; until then the committing thread does. */
const FEW_COMMITS = 200;
/** SQLite's default threshold, in pages, for the committing thread. */
const DEFAULT_PAGES = 1_000;
/** From this log size, in pages, a checkpoint moves all pages, so that the log restarts. */
const FULL_CHECKPOINT_PAGES = 16_000;
/** The maximum log size with a checkpoint thread: beyond it the committing thread runs a checkpoint. */
const MAX_PAGES = 48_000;
const BACK_OFF_MS = 2_000;

/** Source text, so that the built program needs no additional file. */
const WORKER_SOURCE = `
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync(workerData);
db.exec('PRAGMA fullfsync = ON');
const move = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
parentPort.on('message', (request) => {
  if (request === 'move') {
    parentPort.postMessage(move.get());
    return;
  }
  db.close();
  parentPort.close();
});
`;

/** SQLite's result of a checkpoint: the number of pages in the log. */
const CheckpointResult = z.object({ log: z.number() });

/**
 * A checkpoint blocks its thread for tens of milliseconds. So a separate thread moves the pages while commits continue;
 * the few pages of those commits are moved while commits are blocked: then the log is empty.
 */
export function createCheckpoints(db: DatabaseSync, file: string, world: World, onReleased: () => void): Checkpoints {
  let commits = 0;
  let thread: Worker | undefined;
  let state: 'idle' | 'moving' | 'holding' = 'idle';
  let idleUntil = 0;

  function startThread(): Worker {
    const worker = new Worker(WORKER_SOURCE, {
      eval: true,
      workerData: file,
      resourceLimits: { maxYoungGenerationSizeMb: 1 },
    });
    worker.unref();
    worker.on('message', (message) => checkpointed(worker, CheckpointResult.parse(message).log));
    // The committing thread works without it; a failing disk fails its own commits, too.
    worker.on('error', () => {
      setAutoCheckpoint(DEFAULT_PAGES);
      backOff();
    });
    setAutoCheckpoint(MAX_PAGES);
    return worker;
  }

  function checkpointed(by: Worker, log: number): void {
    if (state === 'moving' && log >= FULL_CHECKPOINT_PAGES) {
      state = 'holding';
      by.postMessage('move');
    } else {
      backOff();
    }
  }

  function backOff(): void {
    const wasHolding = state === 'holding';
    state = 'idle';
    idleUntil = world.now() + BACK_OFF_MS;
    if (wasHolding) onReleased();
  }

  function setAutoCheckpoint(pages: number): void {
    if (db.isOpen) db.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
  }

  setAutoCheckpoint(DEFAULT_PAGES);
  return {
    onCommit: () => {
      commits += 1;
      if (commits < FEW_COMMITS || state !== 'idle' || world.now() < idleUntil) return;
      try {
        thread ??= startThread();
        state = 'moving';
        thread.postMessage('move');
      } catch {
        // No thread can be created: it is tried again later, and until then the committing thread runs checkpoints.
        backOff();
      }
    },
    isBlocking: () => state === 'holding',
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
