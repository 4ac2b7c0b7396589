import { text } from 'node:stream/consumers';
import type { ReadStream, WriteStream } from 'node:tty';
import { errorCode, messageOf } from '../../errors.ts';

/** The standard streams of a command. stdout is for output only; progress and messages go to stderr. */
export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Whether stderr is a terminal on which lines can be redrawn. */
  readonly isLive: boolean;
  readonly isOutputTerminal: boolean;
  readonly colors: { out: boolean; err: boolean };
  /** Aborted when the reader of stdout has closed it (`| head`). */
  readonly outputClosed: AbortSignal;
  size(): { columns: number; rows: number };
  out(text: string): void;
  err(text: string): void;
  readInput(): Promise<string>;
  onResize(listener: () => void): () => void;
}

/** The parts of a process that a Terminal uses. */
export type Streams = {
  env: NodeJS.ProcessEnv;
  cwd: () => string;
  stdin: ReadStream;
  stdout: WriteStream;
  stderr: WriteStream;
};

const FALLBACK_SIZE = { columns: 80, rows: 24 };

/** The terminal of this process; a closed reader is not an error and never ends the command. */
export function createTerminal(streams: Streams): Terminal {
  const { env, cwd, stdout, stderr } = streams;
  const closed = new AbortController();
  stdout.on('error', (error) => {
    closed.abort();
    if (errorCode(error) !== 'EPIPE') stderr.write(`Cannot write to stdout: ${messageOf(error)}\n`);
  });
  // Lost progress output must not end the work.
  stderr.on('error', () => {});
  return {
    env,
    cwd: cwd(),
    isLive: stderr.isTTY === true && env.TERM !== 'dumb',
    isOutputTerminal: stdout.isTTY === true,
    colors: { out: usesColor(env, stdout.isTTY === true), err: usesColor(env, stderr.isTTY === true) },
    outputClosed: closed.signal,
    size: () => ({
      columns: stderr.columns || FALLBACK_SIZE.columns,
      rows: stderr.rows || FALLBACK_SIZE.rows,
    }),
    out: (content) => {
      if (!closed.signal.aborted) stdout.write(content);
    },
    err: (content) => {
      stderr.write(content);
    },
    // Node opens stdin when it is first named.
    readInput: () => text(streams.stdin),
    onResize: (listener) => {
      stderr.on('resize', listener);
      return () => stderr.off('resize', listener);
    },
  };
}

/** NO_COLOR, FORCE_COLOR and TERM=dumb take precedence over the kind of stream. */
export function usesColor(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR && env.FORCE_COLOR !== '0') return true;
  return isTerminal && env.TERM !== 'dumb';
}
