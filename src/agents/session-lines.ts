import { closeSync, readdirSync, readSync } from 'node:fs';
import { errorCode } from '../errors.ts';
import { isReplaced, openPlainFile } from '../process/files/plain-file.ts';
import { lineReader } from '../process/lines.ts';

/** A line may contain the output of tools. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
/** A session is shorter; a file without blocks can seem to be as long as its program likes. */
const MOST_BYTES = 256 * 1024 * 1024;

/** A growing file of lines that a program writes while it works. */
export interface SessionLines {
  /** Passes on the complete lines that were added since the last call. */
  readNew(onLine: (text: string) => void): void;
}

/** How much is still read of the files of one session. */
export type ReadAllowance = { bytes: number };

/** What is read of the files of one session, at most. */
export function readAllowance(): ReadAllowance {
  return { bytes: MOST_BYTES };
}

/**
 * Follows a file from a byte offset. One that is missing, unreadable or no plain file has no lines, so that the attempt
 * continues: agents can write to the folders of sessions.
 */
export function sessionLines(file: string, from = 0, allowance = readAllowance()): SessionLines {
  const lines = lineReader({ maxLineBytes: MAX_LINE_BYTES, from });
  let position = from;
  return {
    readNew(onLine) {
      const fd = ifReadable(() => openPlainFile(file));
      if (fd === undefined) return;
      try {
        while (allowance.bytes > 0) {
          const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
          const length = readSync(fd, chunk, 0, CHUNK_BYTES, position);
          if (length === 0) return;
          position += length;
          allowance.bytes -= length;
          for (const { text } of lines.push(chunk.subarray(0, length))) onLine(text);
        }
      } finally {
        closeSync(fd);
      }
    },
  };
}

/** The names in a folder; none if it is missing or unreadable. */
export function namesIn(folder: string): string[] {
  return ifReadable(() => readdirSync(folder)) ?? [];
}

function ifReadable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].includes(errorCode(error) ?? '') || isReplaced(error))
      return undefined;
    throw error;
  }
}
