import { AppError, errorCode, messageOf } from '../../errors.ts';

/** SQLSTATE of a full disk, https://www.postgresql.org/docs/15/errcodes-appendix.html */
const DISK_FULL = '53100';
/**
 * Classes and codes after which the same statements can succeed on a new connection: connection exceptions, shutdown and
 * start of the server, too few resources, an error of its disk, a server that became read-only, a deadlock, a lock or statement that took too long.
 */
const TRANSIENT = /^(08|57P0[1-3]|53|58|25006|40|55P03|57014|25P0[34])/;
/** The login, the database or the rights are wrong. */
const REFUSED = /^(28|3D|42501)/;
/** Messages of the driver for a connection that ended or did not answer in time; they have no code. */
const LOST =
  /connection (terminated|ended|error|timeout)|timeout expired|query read timeout|not queryable|client was closed/i;
const SYSTEM_ERROR = /^E(?!RR_)[A-Z_]+$/;
const SQLSTATE = /^[0-9A-Z]{5}$/;

/** Whether the connection is lost or the server cannot answer now: it is unknown whether the last statement was executed. */
export function isTransient(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'DATABASE_UNREACHABLE';
  const code = errorCode(error) ?? '';
  return TRANSIENT.test(code) || SYSTEM_ERROR.test(code) || LOST.test(messageOf(error));
}

/** Whether the same statements can succeed later: the database does not answer, or has no space left. */
export function isOutage(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'DATABASE_UNREACHABLE' || error.code === 'NO_SPACE');
}

/** Converts an error of the driver or the server to an AppError, which never contains the password; any other error is returned unchanged. */
export function fromPostgresError(error: unknown, database: string): unknown {
  if (error instanceof AppError) return error;
  const code = errorCode(error) ?? '';
  const text = messageOf(error) || code;
  const details = { database };
  const cause = { cause: error };
  if (code === DISK_FULL)
    return new AppError('NO_SPACE', `The database ${database} could not be written: ${text}`, details, cause);
  if (REFUSED.test(code))
    return new AppError('DATABASE_REFUSED', `The database ${database} refused the access: ${text}`, details, cause);
  if (isTransient(error))
    return new AppError('DATABASE_UNREACHABLE', `The database ${database} does not answer: ${text}`, details, cause);
  if (!SQLSTATE.test(code)) return error;
  return new AppError('INTERNAL', `The database ${database} refused a statement: ${text}`, details, cause);
}
