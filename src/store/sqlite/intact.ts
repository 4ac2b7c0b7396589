import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { AppError } from '../../errors.ts';

/** Text, so that the built program needs no file beside it. */
const READ_THROUGH = `
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const copied = new DatabaseSync(workerData);
copied.exec('PRAGMA journal_mode = DELETE');
parentPort.postMessage(String(copied.prepare('PRAGMA integrity_check').get().integrity_check));
copied.close();
`;

/** Reads a copy of the database through, and makes it one file, in a thread of its own: a big one takes seconds. */
export async function requireIntact(file: string): Promise<void> {
  const reader = new Worker(READ_THROUGH, { eval: true, workerData: file, stderr: true });
  try {
    const [said]: unknown[] = await once(reader, 'message');
    if (said === 'ok') return;
    throw new AppError('DATA_DAMAGED', `The backup is not intact, so it was not kept: ${String(said)}`, { file });
  } finally {
    await reader.terminate();
  }
}
