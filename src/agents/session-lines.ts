import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { errorCode } from '../errors.ts';
import { lineReader } from '../process/lines.ts';

/** A line may contain the output of tools. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;

/** A growing file of lines that a program writes while it works. */
export interface SessionLines {
  /** Passes on the complete lines that were added since the last call. */
  readNew(onLine: (text: string) => void): void;
}

/** Follows a file from a byte offset; one that is missing or unreadable has no lines, so that the attempt continues. */
export function sessionLines(file: string, from = 0): SessionLines {
  const lines = lineReader({ maxLineBytes: MAX_LINE_BYTES, from });
  let position = from;
  return {
    readNew(onLine) {
      const fd = ifReadable(() => openSync(file, 'r'));
      if (fd === undefined) return;
      try {
        for (;;) {
          const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
          const length = readSync(fd, chunk, 0, CHUNK_BYTES, position);
          if (length === 0) return;
          position += length;
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
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}
