import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { crashpoint, realWorld, type World } from '../world.ts';
import { preparePrivateFile } from './sqlite/database-file.ts';
import { fromSqliteError, isBusy } from './sqlite/sqlite-error.ts';

/** Who holds a lock, for messages only: after a kill it names the dead until the next holder writes its own. */
export const LockHolder = z.object({ pid: z.number().int(), start: z.number() });
export type LockHolder = z.infer<typeof LockHolder>;

/** Held until it is disposed of or the process ends, however it ends. */
export interface Lock extends AsyncDisposable {
  readonly file: string;
}

/** The garbage collector closes a database that nobody refers to, and with it the lock would be gone. */
const held = new Set<DatabaseSync>();

/** Takes the lock, or gives undefined at once when another process, or this one, holds it. */
export async function acquireLock(file: string, world: World = realWorld): Promise<Lock | undefined> {
  crashpoint('lock.acquiring');
  const db = lockDatabase(file);
  if (db === undefined) return undefined;
  held.add(db);
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
      if (!held.has(db)) return;
      crashpoint('lock.releasing');
      await rm(holderFile, { force: true });
      release(db);
      crashpoint('lock.released');
    },
  };
}

/** Who wrote its name when it took the lock; undefined when nobody did, or the file cannot be understood. */
export async function readLockHolder(file: string): Promise<LockHolder | undefined> {
  try {
    return LockHolder.parse(JSON.parse(await readFile(`${file}.json`, 'utf8')));
  } catch {
    // Safe: the name serves a message, the lock itself does not depend on it.
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
  held.delete(db);
  if (db.isOpen) db.close();
}
