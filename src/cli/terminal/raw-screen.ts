import { once } from 'node:events';
import { writeSync } from 'node:fs';
import type { ReadStream, WriteStream } from 'node:tty';
import { errorCode } from '../../errors.ts';

/** The whole terminal in raw mode; disposal, exit and crashes restore it. */
export interface RawScreen extends Disposable {
  size(): { columns: number; rows: number };
  /** Writes bytes, one per character of the string; resolves when more may be written. */
  write(bytes: string): Promise<void>;
  /** Receives every key press. */
  onInput(listener: (bytes: Buffer) => void): void;
  onResize(listener: () => void): void;
  /** Aborted when the terminal is closed. */
  readonly closed: AbortSignal;
}

const STDOUT_FD = 1;
/** Restores colors, cursor, mouse, paste mode and the main screen, as a shell expects them. */
const RESTORE =
  '\u001b[?1049l\u001b[0m\u001b[?1l\u001b>\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1004l\u001b[?1006l\u001b[?2004l\u001b[?2026l\u001b[?7h\u001b[?25h\u001b[r\u001b[999;1H';

/** Switches the terminal to raw mode; undefined if input or output is not a terminal. */
export function takeScreen(stdin: ReadStream, stdout: WriteStream): RawScreen | undefined {
  if (!stdin.isTTY || !stdout.isTTY) return undefined;
  const closed = new AbortController();
  const close = () => closed.abort();
  const inputs: ((bytes: Buffer) => void)[] = [];
  const resizes: (() => void)[] = [];
  let isActive = true;
  const onData = (bytes: Buffer) => {
    for (const listener of inputs) listener(bytes);
  };
  const release = () => {
    if (!isActive) return;
    isActive = false;
    for (const listener of resizes) stdout.off('resize', listener);
    stdin.off('data', onData).off('end', close).off('error', close);
    stdout.off('error', close);
    process.off('exit', release).off('uncaughtExceptionMonitor', release);
    if (!closed.signal.aborted) restore(stdin);
    stdin.pause();
  };
  stdin.setRawMode(true);
  stdin.on('data', onData).on('end', close).on('error', close);
  stdout.on('error', close);
  process.on('exit', release).on('uncaughtExceptionMonitor', release);
  // An earlier user of the terminal may have paused the input.
  stdin.resume();
  return {
    size: () => ({ columns: stdout.columns, rows: stdout.rows }),
    write: async (bytes) => {
      if (closed.signal.aborted || stdout.write(bytes, 'latin1')) return;
      // A terminal that is closed never drains; `closed` ends the wait.
      await once(stdout, 'drain', { signal: closed.signal }).catch(() => {});
    },
    onInput: (listener) => inputs.push(listener),
    onResize: (listener) => {
      resizes.push(listener);
      stdout.on('resize', listener);
    },
    closed: closed.signal,
    [Symbol.dispose]: release,
  };
}

/** Synchronous, because the process may be ending. */
function restore(stdin: ReadStream): void {
  try {
    stdin.setRawMode(false);
    writeSync(STDOUT_FD, RESTORE);
  } catch (error) {
    // The terminal is gone: there is nothing to restore.
    if (errorCode(error) !== 'EIO' && errorCode(error) !== 'EBADF' && errorCode(error) !== 'EAGAIN') throw error;
  }
}
