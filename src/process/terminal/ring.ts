import { closeSync, readdirSync, readSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../errors.ts';
import { isReplaced, openPlainFile } from '../files/plain-file.ts';

/** A part of a terminal's output; `lost` bytes before it are no longer stored. */
export type RingPiece = { chunk: Buffer; offset: number; lost: number };

type Segment = { start: number; file: string };

/** A terminal's output is stored in files of at most this size, of which the last two are kept. */
export const SEGMENT_BYTES = 16 * 1024 * 1024;
/** The size of one read. */
export const PIECE_BYTES = 64 * 1024;
const KEPT_SEGMENTS = 2;
const NAME = /^terminal-(\d+)$/;

/** The name of the file with the output from an offset on. */
export function segmentName(start: number): string {
  return `terminal-${start}`;
}

/** Removes all files except the last ones. */
export function trimRing(folder: string): void {
  for (const { file } of segmentsOf(folder).slice(0, -KEPT_SEGMENTS)) rmSync(file, { force: true });
}

/** The range of the stored output; undefined before the terminal has started. */
export function ringRange(folder: string): { start: number; end: number } | undefined {
  const all = segmentsOf(folder);
  const first = all[0];
  const last = all.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const size = statSync(last.file, { throwIfNoEntry: false })?.size ?? 0;
  return { start: first.start, end: last.start + size };
}

/** Reads the output from an offset on, up to a limit; if that is no longer stored, from the next stored byte. */
export function readRing(folder: string, from: number): RingPiece {
  const all = segmentsOf(folder);
  const index = all.findLastIndex(({ start }) => start <= from);
  for (const segment of all.slice(Math.max(0, index))) {
    const offset = Math.max(from, segment.start);
    const chunk = readAt(segment.file, offset - segment.start);
    if (chunk.length > 0) return { chunk, offset, lost: offset - from };
  }
  return { chunk: Buffer.alloc(0), offset: from, lost: 0 };
}

function segmentsOf(folder: string): Segment[] {
  return namesIn(folder)
    .flatMap((name) => {
      const start = NAME.exec(name)?.[1];
      return start === undefined ? [] : [{ start: Number(start), file: join(folder, name) }];
    })
    .sort((a, b) => a.start - b.start);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function readAt(file: string, position: number): Buffer {
  let fd: number;
  try {
    fd = openPlainFile(file);
  } catch (error) {
    // Also what is no plain file any more has no output.
    if (errorCode(error) === 'ENOENT' || isReplaced(error)) return Buffer.alloc(0);
    throw error;
  }
  try {
    const chunk = Buffer.allocUnsafe(PIECE_BYTES);
    return chunk.subarray(0, readSync(fd, chunk, 0, chunk.length, position));
  } finally {
    closeSync(fd);
  }
}
