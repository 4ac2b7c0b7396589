import { readFileSync } from 'node:fs';
import { AppError, messageOf } from '../../errors.ts';

/** SQLite's primary result codes, https://www.sqlite.org/rescode.html */
const ERROR = 1;
const PERM = 3;
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const TOOBIG = 18;
const CONSTRAINT = 19;
const MISMATCH = 20;
const RANGE = 25;
const NOTADB = 26;

/** Extended codes of failed writes: write, fsync, directory fsync, truncate, shared-memory size; a full disk can cause any of them. */
const FAILED_WRITES: readonly number[] = [778, 1034, 1290, 1546, 4874];

const OF_ONE_STATEMENT: readonly number[] = [TOOBIG, CONSTRAINT, MISMATCH, RANGE];

/** True when the database was busy with another connection. */
export function isBusy(error: unknown): boolean {
  const primary = primaryCode(error);
  return primary === BUSY || primary === LOCKED;
}

/** True when an error affects the whole transaction, not only its statement. */
export function spoilsTransaction(error: unknown): boolean {
  const primary = primaryCode(error);
  return primary !== undefined && !OF_ONE_STATEMENT.includes(primary);
}

/** Converts an SQLite error to an AppError; any other error is returned unchanged. */
export function fromSqliteError(error: unknown, file: string): unknown {
  const code = sqliteCode(error);
  if (code === undefined) return error;
  const about = (what: string) => `The database ${file} ${what}: ${messageOf(error)}`;
  const cause = { cause: error };
  switch (code & 0xff) {
    case FULL:
      return new AppError('NO_SPACE', about('could not be written'), { file }, cause);
    case IOERR:
      return FAILED_WRITES.includes(code)
        ? new AppError(
            isFileSizeLimited() ? 'FILE_TOO_LARGE' : 'NO_SPACE',
            about('could not be written'),
            { file },
            cause,
          )
        : new AppError('DATA_DAMAGED', about('could not be read'), { file }, cause);
    case CORRUPT:
    case NOTADB:
      return new AppError('DATA_DAMAGED', about('is damaged'), { file }, cause);
    case PERM:
    case READONLY:
    case CANTOPEN:
      return new AppError('NO_PERMISSION', about('could not be opened for writing'), { file }, cause);
    case BUSY:
    case LOCKED:
      return new AppError('ENGINE_BUSY', about('is in use by another program'), { file }, cause);
    default:
      return new AppError('INTERNAL', about('refused a statement'), { file }, cause);
  }
}

/** SQLite does not say why a write failed; with a limit (`ulimit -f`) that is the likely reason. */
function isFileSizeLimited(): boolean {
  try {
    return /^Max file size\s+\d/m.test(readFileSync('/proc/self/limits', 'latin1'));
  } catch {
    // Only Linux has this file.
    return false;
  }
}

/** While opening, a statement that does not match the tables means that the tables do not match their version. */
export function fromOpeningError(error: unknown, file: string): unknown {
  if (primaryCode(error) !== ERROR) return fromSqliteError(error, file);
  const message = `The database ${file} does not match its version: ${messageOf(error)}`;
  return new AppError('DATA_DAMAGED', message, { file }, { cause: error });
}

function primaryCode(error: unknown): number | undefined {
  const code = sqliteCode(error);
  return code === undefined ? undefined : code & 0xff;
}

function sqliteCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
}
