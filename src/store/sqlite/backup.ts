import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { fromSystemError, isAbsent } from '../../errors.ts';
import type { BackupResult } from '../../schema/keeping.ts';
import { crashpoint, type World } from '../../world.ts';
import { preparePrivateFile } from './database-file.ts';
import { requireIntact } from './intact.ts';
import { fromSqliteError } from './sqlite-error.ts';

/** Who wanted a backup: a person, or nobody in particular; each kind is counted for itself. */
type BackupKind = 'asked' | 'automatic';

export type BackupOptions = { file: string; folder: string; keep: number; kind: BackupKind; world: World };

const BEGINNING: Record<BackupKind, string> = { asked: 'manyhands-', automatic: 'manyhands-auto-' };
const NAMED: Record<BackupKind, RegExp> = {
  asked: /^manyhands-(\d{8}T\d{9}Z)\.db$/,
  automatic: /^manyhands-auto-(\d{8}T\d{9}Z)\.db$/,
};
const UNFINISHED = /^manyhands-.*\.db\.making-/;
/** A copy that nobody wrote to for so long was left by a process that was killed. */
const ABANDONED_MS = 3_600_000;

/** Copies the living database to a file, whole or not at all, reads the copy through before it counts, and keeps the newest few. */
export async function backupDatabase({ file, folder, keep, kind, world }: BackupOptions): Promise<BackupResult> {
  const name = `${BEGINNING[kind]}${new Date(world.now()).toISOString().replaceAll(/[-:.]/g, '')}.db`;
  const made = join(folder, name);
  const making = `${made}.making-${world.token()}`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeAbandoned(folder, world);
    crashpoint('backup.making');
    preparePrivateFile(making);
    await copy(file, making);
    await requireIntact(making);
    await flush(making);
    crashpoint('backup.made');
    await rename(making, made);
  } catch (error) {
    throw fromSystemError(fromSqliteError(error, making), `backing up to ${folder}`);
  } finally {
    for (const end of ['', '-wal', '-shm', '-journal']) await rm(`${making}${end}`, { force: true });
  }
  const { size } = await stat(made);
  return { file: made, bytes: size, removed: await prune(folder, kind, keep) };
}

/** When the newest backup of any kind was begun; undefined when there is none. */
export async function newestBackupAt(folder: string): Promise<number | undefined> {
  const stamps = (await namesIn(folder)).flatMap((name) => {
    const stamp = (NAMED.asked.exec(name) ?? NAMED.automatic.exec(name))?.[1];
    return stamp === undefined ? [] : [stamp];
  });
  const newest = stamps.sort().at(-1);
  return newest === undefined ? undefined : timeOf(newest);
}

/** One moment of the database is copied: a reader that keeps its view is not sent back to the first page by every write. */
async function copy(file: string, making: string): Promise<void> {
  using source = new DatabaseSync(file, { readOnly: true });
  source.exec('BEGIN');
  source.prepare('SELECT count(*) FROM sqlite_schema').get();
  await backup(source, making);
}

async function flush(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Only files that a backup of ours made, of the same kind, are counted and removed. */
async function prune(folder: string, kind: BackupKind, keep: number): Promise<string[]> {
  const backups = (await namesIn(folder)).filter((name) => NAMED[kind].test(name)).sort();
  const old = backups.slice(0, Math.max(backups.length - keep, 0)).map((name) => join(folder, name));
  for (const path of old) await rm(path, { force: true });
  return old;
}

async function removeAbandoned(folder: string, world: World): Promise<void> {
  for (const name of (await namesIn(folder)).filter((one) => UNFINISHED.test(one))) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && world.now() - found.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
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
