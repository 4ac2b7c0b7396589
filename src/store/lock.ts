import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { crashpoint, realWorld, type World } from '../world.ts';
import { preparePrivateFile } from './sqlite/database-file.ts';
import { fromSqliteError, isBusy } from './sqlite/sqlite-error.ts';

/** The holder of a lock, for messages only: after a kill it is outdated until the next holder writes its own. */
export const LockHolder = z.object({ pid: z.number().int(), start: z.number() });
export type LockHolder = z.infer<typeof LockHolder>;

/** Held until it is disposed of or the process ends in any way. */
export interface Lock extends AsyncDisposable {
  readonly file: string;
}

/** Keeps databases referenced: the garbage collector would close them and so release the lock. */
const openLocks = new Set<DatabaseSync>();

/** Acquires the lock, or returns undefined at once if another process, or this one, holds it. */
export async function acquireLock(file: string, world: World = realWorld): Promise<Lock | undefined> {
  crashpoint('lock.acquiring');
  const db = lockDatabase(file);
  if (db === undefined) return undefined;
  openLocks.add(db);
  crashpoint('lock.acquired');
  const holderFile = `${file}.json`;
  try {
    await writeHolder(holderFile, { pid: process.pid, start: world.now() });
  } catch (error) {
    release(db);
    throw error;
  }
  return {
    file,
    [Symbol.asyncDispose]: async () => {
      if (!openLocks.has(db)) return;
      crashpoint('lock.releasing');
      await rm(holderFile, { force: true });
      release(db);
      crashpoint('lock.released');
    },
  };
}

/** The recorded holder of the lock; undefined if there is none, or the file cannot be parsed. */
export async function readLockHolder(file: string): Promise<LockHolder | undefined> {
  try {
    return LockHolder.parse(JSON.parse(await readFile(`${file}.json`, 'utf8')));
  } catch {
    // Safe: it is only for messages; the lock itself does not depend on it.
    return undefined;
  }
}

function lockDatabase(file: string): DatabaseSync | undefined {
  preparePrivateFile(file);
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { timeout: 0 });
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return db;
  } catch (error) {
    db?.close();
    if (isBusy(error)) return undefined;
    throw fromSqliteError(error, file);
  }
}

async function writeHolder(file: string, holder: LockHolder): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(holder), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

function release(db: DatabaseSync): void {
  openLocks.delete(db);
  if (db.isOpen) db.close();
}
