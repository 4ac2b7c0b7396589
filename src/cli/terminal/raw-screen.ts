import { once } from 'node:events';
import { writeSync } from 'node:fs';
import type { ReadStream, WriteStream } from 'node:tty';
import { errorCode } from '../../errors.ts';

/** A person's whole terminal, taken for a program that draws on it; it is given back as it was, whatever happens. */
export interface RawScreen extends Disposable {
  size(): { columns: number; rows: number };
  /** Writes bytes, a character of the text each; resolves when more may be written. */
  write(bytes: string): Promise<void>;
  /** Every key as it is pressed. */
  onInput(listener: (bytes: Buffer) => void): void;
  onResize(listener: () => void): void;
  /** Aborted when the terminal went away. */
  readonly closed: AbortSignal;
}

const STDOUT_FD = 1;
/** Colours, cursor, mouse, pasting and the other screen, as a shell expects them. */
const AS_BEFORE =
  '\u001b[?1049l\u001b[0m\u001b[?1l\u001b>\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1004l\u001b[?1006l\u001b[?2004l\u001b[?2026l\u001b[?7h\u001b[?25h\u001b[r\u001b[999;1H';

/** Takes the terminal; undefined where input or output is none. */
export function takeScreen(stdin: ReadStream, stdout: WriteStream): RawScreen | undefined {
  if (!stdin.isTTY || !stdout.isTTY) return undefined;
  const closed = new AbortController();
  const close = () => closed.abort();
  const inputs: ((bytes: Buffer) => void)[] = [];
  const resizes: (() => void)[] = [];
  let isTaken = true;
  const onData = (bytes: Buffer) => {
    for (const listener of inputs) listener(bytes);
  };
  const giveBack = () => {
    if (!isTaken) return;
    isTaken = false;
    for (const listener of resizes) stdout.off('resize', listener);
    stdin.off('data', onData).off('end', close).off('error', close);
    stdout.off('error', close);
    process.off('exit', giveBack).off('uncaughtExceptionMonitor', giveBack);
    if (!closed.signal.aborted) restore(stdin);
    stdin.pause();
  };
  stdin.setRawMode(true);
  stdin.on('data', onData).on('end', close).on('error', close);
  stdout.on('error', close);
  process.on('exit', giveBack).on('uncaughtExceptionMonitor', giveBack);
  // Who took it before may have left the input standing still.
  stdin.resume();
  return {
    size: () => ({ columns: stdout.columns, rows: stdout.rows }),
    write: async (bytes) => {
      if (closed.signal.aborted || stdout.write(bytes, 'latin1')) return;
      // A terminal that goes away meanwhile never drains; `closed` tells it.
      await once(stdout, 'drain', { signal: closed.signal }).catch(() => {});
    },
    onInput: (listener) => inputs.push(listener),
    onResize: (listener) => {
      resizes.push(listener);
      stdout.on('resize', listener);
    },
    closed: closed.signal,
    [Symbol.dispose]: giveBack,
  };
}

/** At once, since the program may be ending. */
function restore(stdin: ReadStream): void {
  try {
    stdin.setRawMode(false);
    writeSync(STDOUT_FD, AS_BEFORE);
  } catch (error) {
    // The terminal is gone: there is nothing to give back.
    if (errorCode(error) !== 'EIO' && errorCode(error) !== 'EBADF' && errorCode(error) !== 'EAGAIN') throw error;
  }
}
