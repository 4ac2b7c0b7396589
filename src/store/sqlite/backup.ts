import { once } from 'node:events';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { AppError, fromSystemError, isAbsent } from '../../errors.ts';
import type { BackupResult } from '../../schema/keeping.ts';
import { crashpoint, type World } from '../../world.ts';
import { preparePrivateFile } from './database-file.ts';
import { fromSqliteError } from './sqlite-error.ts';

/** Whether the user requested a backup or the engine made it automatically; each kind is counted separately. */
type BackupKind = 'requested' | 'automatic';

export type BackupOptions = { file: string; folder: string; keep: number; kind: BackupKind; world: World };

const PREFIX: Record<BackupKind, string> = { requested: 'manyhands-', automatic: 'manyhands-auto-' };
const NAME: Record<BackupKind, RegExp> = {
  requested: /^manyhands-(\d{8}T\d{9}Z)\.db$/,
  automatic: /^manyhands-auto-(\d{8}T\d{9}Z)\.db$/,
};
const UNFINISHED = /^manyhands-.*\.db\.making-/;
/** A copy that was not written to for this long was left by a killed process. */
const ABANDONED_MS = 3_600_000;

/** Source text, so that the built program needs no additional file. */
const CHECK_SOURCE = `
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const { file, readOnly } = workerData;
const pragma = readOnly ? 'quick_check' : 'integrity_check';
try {
  const database = new DatabaseSync(file, { readOnly });
  if (!readOnly) database.exec('PRAGMA journal_mode = DELETE');
  parentPort.postMessage(String(database.prepare('PRAGMA ' + pragma).get()[pragma]));
  database.close();
} catch (error) {
  parentPort.postMessage(error.message);
}
`;

/** Copies the open database to a file atomically, verifies the copy, and keeps only the newest backups. */
export async function backupDatabase({ file, folder, keep, kind, world }: BackupOptions): Promise<BackupResult> {
  const name = `${PREFIX[kind]}${new Date(world.now()).toISOString().replaceAll(/[-:.]/g, '')}.db`;
  const target = join(folder, name);
  const temporary = `${target}.making-${world.token()}`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeAbandoned(folder, world);
    crashpoint('backup.making');
    preparePrivateFile(temporary);
    await copy(file, temporary);
    await requireIntact(temporary);
    await flush(temporary);
    crashpoint('backup.made');
    await rename(temporary, target);
  } catch (error) {
    throw fromSystemError(fromSqliteError(error, temporary), `backing up to ${folder}`);
  } finally {
    for (const end of ['', '-wal', '-shm', '-journal']) await rm(`${temporary}${end}`, { force: true });
  }
  const { size } = await stat(target);
  return { file: target, bytes: size, removed: await prune(folder, kind, keep) };
}

/** The start time of the newest backup of any kind; undefined if there is none. */
export async function newestBackupAt(folder: string): Promise<number | undefined> {
  return (await listBackups(folder))[0]?.at;
}

/** All backups with their start times, the newest first. */
export async function listBackups(folder: string): Promise<{ file: string; at: number }[]> {
  const backups = (await namesIn(folder)).flatMap((name) => {
    const stamp = (NAME.requested.exec(name) ?? NAME.automatic.exec(name))?.[1];
    return stamp === undefined ? [] : [{ file: join(folder, name), at: timeOf(stamp) }];
  });
  return backups.sort((a, b) => b.at - a.at);
}

/** Copies one snapshot of the database: in a read transaction writes do not restart the backup. */
async function copy(file: string, temporary: string): Promise<void> {
  using source = new DatabaseSync(file, { readOnly: true });
  source.exec('BEGIN');
  source.prepare('SELECT count(*) FROM sqlite_schema').get();
  await backup(source, temporary);
}

/** Checks the integrity of a copy of the database, and makes it a single file, in a separate thread: a large one takes seconds. */
async function requireIntact(file: string): Promise<void> {
  const damage = await findDamage({ file, readOnly: false });
  if (damage === undefined) return;
  throw new AppError('DATA_DAMAGED', `The backup is damaged, so it was deleted: ${damage}`, { file });
}

/** The first damage that SQLite finds in a database that is not changed by this; undefined if there is none. */
export function databaseDamage(file: string): Promise<string | undefined> {
  return findDamage({ file, readOnly: true });
}

async function findDamage(workerData: { file: string; readOnly: boolean }): Promise<string | undefined> {
  const reader = new Worker(CHECK_SOURCE, { eval: true, workerData, stderr: true });
  try {
    const [result]: unknown[] = await once(reader, 'message');
    return result === 'ok' ? undefined : String(result);
  } finally {
    await reader.terminate();
  }
}

async function flush(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Only our own backups of the same kind are counted and removed. */
async function prune(folder: string, kind: BackupKind, keep: number): Promise<string[]> {
  const backups = (await namesIn(folder)).filter((name) => NAME[kind].test(name)).sort();
  const old = backups.slice(0, Math.max(backups.length - keep, 0)).map((name) => join(folder, name));
  for (const path of old) await rm(path, { force: true });
  return old;
}

async function removeAbandoned(folder: string, world: World): Promise<void> {
  for (const name of (await namesIn(folder)).filter((one) => UNFINISHED.test(one))) {
    const path = join(folder, name);
    const stats = await stat(path).catch(() => undefined);
    if (stats !== undefined && world.now() - stats.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (isAbsent(error)) return [];
    throw error;
  });
}

/** The time of `20260301T101500123Z`. */
function timeOf(stamp: string): number {
  return Date.parse(stamp.replace(/(....)(..)(..)T(..)(..)(..)(...)Z/, '$1-$2-$3T$4:$5:$6.$7Z'));
}
