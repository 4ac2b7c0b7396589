import { copyFile, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorCode, isAbsent, messageOf } from '../../errors.ts';

/** A profile as CC Switch stores it; `settings` is JSON text that may hold secrets. */
export type ProfileRow = { id: string; app: string; name: string; settings: string; isCurrent: boolean };

/** The rows of the file, or the reason why there are none. */
export type ProfileRows = { kind: 'rows'; rows: ProfileRow[] } | { kind: 'none'; note: string | undefined };

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 20;
/** The header byte that says whether the database has a write-ahead log. */
const WRITE_VERSION = 18;
const WRITE_AHEAD = 2;
/** The request log in the database may be large; a larger file is not copied only to list profiles. */
const MAX_COPIED_BYTES = 512 * 1024 * 1024;
const MAX_ROWS = 200;
const COPY_ATTEMPTS = 3;
const BUSY_MS = 250;
const BUSY = new Set([5, 6]);
const NEEDED = ['id', 'app_type', 'name', 'settings_config'];

/**
 * Reads the profiles of CC Switch without writing anything, not even next to its file: a database with a write-ahead log
 * is read from a private copy. A file that is missing, in use, damaged or unknown gives no rows; it never throws.
 */
export async function readProfileRows(file: string): Promise<ProfileRows> {
  try {
    if (!(await stat(file)).isFile()) return none(`${file} is not a file`);
    const header = await readHeader(file);
    if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) return none(`${file} is not a database`);
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
    for (let attempt = 0; attempt < COPY_ATTEMPTS; attempt += 1) {
      const before = await takeSnapshot(file);
      if (before.bytes > MAX_COPIED_BYTES) return none(`${file} is too large to read`);
      await copyFile(file, copy);
      if (before.hasLog) await copyFile(`${file}-wal`, `${copy}-wal`);
      else await rm(`${copy}-wal`, { force: true });
      if ((await takeSnapshot(file)).fingerprint === before.fingerprint) return rowsIn(copy, file);
    }
    return none(`${file} is being written; try again`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The fingerprint changes when the database is written concurrently. */
async function takeSnapshot(file: string): Promise<{ fingerprint: string; bytes: number; hasLog: boolean }> {
  const main = await stat(file);
  const log = await stat(`${file}-wal`).catch(() => undefined);
  const bytes = main.size + (log?.size ?? 0);
  return { fingerprint: `${main.size} ${main.mtimeMs} ${log?.size} ${log?.mtimeMs}`, bytes, hasLog: log !== undefined };
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
      return none(`${file} was created by an unknown version of CC Switch`);
    const current = columns.has('is_current') ? 'is_current' : '0';
    const order = columns.has('sort_index') ? 'sort_index IS NULL, sort_index, name, id' : 'name, id';
    const sql = `SELECT id, app_type, name, settings_config, ${current} AS current FROM providers ORDER BY ${order} LIMIT ${MAX_ROWS}`;
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
