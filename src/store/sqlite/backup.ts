import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { AppError, fromSystemError } from '../../errors.ts';
import type { BackupResult } from '../../schema/keeping.ts';
import { crashpoint, type World } from '../../world.ts';
import { preparePrivateFile } from './database-file.ts';
import { fromSqliteError } from './sqlite-error.ts';

export type BackupOptions = { file: string; folder: string; keep: number; world: World };

const NAMED = /^manyhands-\d{8}T\d{9}Z\.db$/;

/** Copies the living database to a file, whole or not at all, reads the copy through before it counts, and keeps the newest few. */
export async function backupDatabase({ file, folder, keep, world }: BackupOptions): Promise<BackupResult> {
  const name = `manyhands-${new Date(world.now()).toISOString().replaceAll(/[-:.]/g, '')}.db`;
  const made = join(folder, name);
  const making = `${made}.making-${world.token()}`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    preparePrivateFile(making);
    await copy(file, making);
    requireIntact(making);
    await flush(making);
    crashpoint('backup.made');
    await rename(making, made);
  } catch (error) {
    throw fromSystemError(fromSqliteError(error, making), `backing up to ${folder}`);
  } finally {
    for (const end of ['', '-wal', '-shm', '-journal']) await rm(`${making}${end}`, { force: true });
  }
  const { size } = await stat(made);
  return { file: made, bytes: size, removed: await prune(folder, keep) };
}

async function copy(file: string, making: string): Promise<void> {
  using source = new DatabaseSync(file, { readOnly: true });
  await backup(source, making);
}

function requireIntact(file: string): void {
  using copied = new DatabaseSync(file);
  copied.exec('PRAGMA journal_mode = DELETE');
  const said = copied.prepare('PRAGMA integrity_check').get()?.integrity_check;
  if (said === 'ok') return;
  throw new AppError('DATA_DAMAGED', `The backup is not intact, so it was not kept: ${String(said)}`, { file });
}

async function flush(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Only files that a backup of ours made are counted and removed. */
async function prune(folder: string, keep: number): Promise<string[]> {
  const backups = (await readdir(folder)).filter((name) => NAMED.test(name)).sort();
  const old = backups.slice(0, Math.max(backups.length - keep, 0)).map((name) => join(folder, name));
  for (const path of old) await rm(path, { force: true });
  return old;
}
