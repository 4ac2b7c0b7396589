import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode, fromSystemError } from '../../errors.ts';

/**
 * Creates the file (0600) and, if missing, its folder (0700). An existing file is never opened here: closing a second
 * descriptor would drop every POSIX lock that SQLite holds on it in this process.
 */
export function preparePrivateFile(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    if (!createFile(file)) chmodSync(file, 0o600);
  } catch (error) {
    throw fromSystemError(error, `preparing the file ${file}`);
  }
}

function createFile(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', 0o600));
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}
