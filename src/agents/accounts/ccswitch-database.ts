import { copyFile, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorCode, isAbsent, messageOf } from '../../errors.ts';

/** A profile as CC Switch keeps it; `settings` is JSON text that may hold secrets. */
export type ProfileRow = { id: string; app: string; name: string; settings: string; isCurrent: boolean };

/** What the file holds, or why nothing can be taken from it. */
export type ProfileRows = { kind: 'rows'; rows: ProfileRow[] } | { kind: 'none'; note: string | undefined };

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 20;
/** Where the header says that changes wait in a file beside it. */
const WRITE_VERSION = 18;
const WRITE_AHEAD = 2;
/** Its log of requests may be large; more than this is not copied for a list of profiles. */
const MOST_COPIED_BYTES = 512 * 1024 * 1024;
const MOST_ROWS = 200;
const COPY_TRIES = 3;
const BUSY_MS = 250;
const BUSY = new Set([5, 6]);
const NEEDED = ['id', 'app_type', 'name', 'settings_config'];

/**
 * Reads the profiles of CC Switch without writing anything, not even beside its file: a database whose changes wait in a
 * log is read from a private copy. A file that is missing, in use, damaged or foreign gives none, and never throws.
 */
export async function readProfileRows(file: string): Promise<ProfileRows> {
  try {
    if (!(await stat(file)).isFile()) return none(`${file} is no file`);
    const header = await readHeader(file);
    if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) return none(`${file} is no database`);
    if (header[WRITE_VERSION] !== WRITE_AHEAD) return rowsIn(file, file);
    return await fromCopy(file);
  } catch (error) {
    if (isAbsent(error)) return { kind: 'none', note: undefined };
    return none(`${file} cannot be read (${errorCode(error) ?? messageOf(error)})`);
  }
}

async function readHeader(file: string): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { buffer } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    return buffer;
  } finally {
    await handle.close();
  }
}

async function fromCopy(file: string): Promise<ProfileRows> {
  const folder = await mkdtemp(join(tmpdir(), 'manyhands-ccswitch-'));
  try {
    const copy = join(folder, 'copy.db');
    for (let attempt = 0; attempt < COPY_TRIES; attempt += 1) {
      const before = await look(file);
      if (before.bytes > MOST_COPIED_BYTES) return none(`${file} is too large to look into`);
      await copyFile(file, copy);
      if (before.hasLog) await copyFile(`${file}-wal`, `${copy}-wal`);
      else await rm(`${copy}-wal`, { force: true });
      if ((await look(file)).print === before.print) return rowsIn(copy, file);
    }
    return none(`${file} is being written; try again`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What changes when somebody writes meanwhile. */
async function look(file: string): Promise<{ print: string; bytes: number; hasLog: boolean }> {
  const main = await stat(file);
  const log = await stat(`${file}-wal`).catch(() => undefined);
  const bytes = main.size + (log?.size ?? 0);
  return { print: `${main.size} ${main.mtimeMs} ${log?.size} ${log?.mtimeMs}`, bytes, hasLog: log !== undefined };
}

function rowsIn(path: string, file: string): ProfileRows {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
    const columns = new Set(
      db
        .prepare('PRAGMA table_info(providers)')
        .all()
        .map(({ name }) => name),
    );
    if (columns.size === 0) return none(`${file} is not a database of CC Switch`);
    if (!NEEDED.every((name) => columns.has(name)))
      return none(`${file} was made by a version of CC Switch that is not known here`);
    const current = columns.has('is_current') ? 'is_current' : '0';
    const order = columns.has('sort_index') ? 'sort_index IS NULL, sort_index, name, id' : 'name, id';
    const sql = `SELECT id, app_type, name, settings_config, ${current} AS current FROM providers ORDER BY ${order} LIMIT ${MOST_ROWS}`;
    return { kind: 'rows', rows: db.prepare(sql).all().flatMap(asRow) };
  } catch (error) {
    return none(isBusy(error) ? `${file} is in use; try again` : `${file} is damaged (${messageOf(error)})`);
  } finally {
    db?.close();
  }
}

function asRow(row: Record<string, unknown>): ProfileRow[] {
  const { id, app_type: app, name, settings_config: settings, current } = row;
  if (typeof id !== 'string' || typeof app !== 'string' || typeof name !== 'string') return [];
  return typeof settings === 'string' ? [{ id, app, name, settings, isCurrent: current === 1 }] : [];
}

function isBusy(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return false;
  return typeof error.errcode === 'number' && BUSY.has(error.errcode & 0xff);
}

function none(note: string): ProfileRows {
  return { kind: 'none', note };
}
