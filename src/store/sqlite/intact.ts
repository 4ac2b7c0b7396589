import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { AppError } from '../../errors.ts';

/** Source text, so that the built program needs no additional file. */
const CHECK_SOURCE = `
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const copied = new DatabaseSync(workerData);
copied.exec('PRAGMA journal_mode = DELETE');
parentPort.postMessage(String(copied.prepare('PRAGMA integrity_check').get().integrity_check));
copied.close();
`;

/** Checks the integrity of a copy of the database, and makes it a single file, in a separate thread: a large one takes seconds. */
export async function requireIntact(file: string): Promise<void> {
  const reader = new Worker(CHECK_SOURCE, { eval: true, workerData: file, stderr: true });
  try {
    const [result]: unknown[] = await once(reader, 'message');
    if (result === 'ok') return;
    throw new AppError('DATA_DAMAGED', `The backup is damaged, so it was deleted: ${String(result)}`, { file });
  } finally {
    await reader.terminate();
  }
}
