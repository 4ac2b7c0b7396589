import { join } from 'node:path';
import { realWorld } from '../world.ts';
import { openFifo, waitForRelease } from './files/fifo.ts';
import { readPlainStart } from './files/plain-file.ts';
import { FILES, NO_EXIT_CODE } from './shim.ts';
import { timeLimit } from './time-limit.ts';

/**
 * Output of a program that is not in its file: what copies it was `ended`, could not write because the disk is full
 * (`disk-full`), or reached the `limit` of the file.
 */
export type LostOutput = { file: 'stdout' | 'stderr'; because: 'ended' | 'disk-full' | 'limit' };

/** The exit code of a copier that was ended because its file reached its limit: that of SIGXFSZ on Linux and macOS. */
const LIMIT_CODE = 128 + 25;
const KILLED_CODE = 128;
const MARKER_BYTES = 16;

/** Waits until all piped output is in its files, at most so long: false where a leftover child still holds the pipe. */
export async function waitForDrain(folder: string, signal: AbortSignal, limitMs: number): Promise<boolean> {
  const fifo = openFifo(join(folder, FILES.drained));
  if (fifo === undefined) return true;
  using limit = timeLimit(limitMs, realWorld);
  try {
    await waitForRelease(fifo, AbortSignal.any([signal, limit.signal]));
    return true;
  } catch (error) {
    if (!limit.signal.aborted) throw error;
    return false;
  }
}

/** Which output of a program that has ended is missing, by what its shim and its copiers wrote; one that still copies for a leftover child has lost nothing. */
export function lostOutput(folder: string, isDrained: boolean): LostOutput[] {
  const marker = (name: string) => readPlainStart(join(folder, name), MARKER_BYTES)?.trim();
  if (marker(FILES.stored)?.startsWith(NO_EXIT_CODE)) return [{ file: 'stdout', because: 'disk-full' }];
  return (['stdout', 'stderr'] as const).flatMap((file) => {
    const text = marker(file === 'stdout' ? FILES.copiedStdout : FILES.copiedStderr);
    if (text === undefined || text === '0' || (text === NO_EXIT_CODE && !isDrained)) return [];
    return [{ file, because: reasonOf(text) }];
  });
}

function reasonOf(marker: string): LostOutput['because'] {
  const code = Number(marker);
  if (code === LIMIT_CODE) return 'limit';
  return code > 0 && code <= KILLED_CODE ? 'disk-full' : 'ended';
}
