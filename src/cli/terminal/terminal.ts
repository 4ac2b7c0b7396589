import { text } from 'node:stream/consumers';
import type { ReadStream, WriteStream } from 'node:tty';
import { AppError, errorCode, isAbsent, messageOf } from '../../errors.ts';
import { createOutput } from './standard-output.ts';

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

/** The parts of a process that a Terminal uses; Node loads a stream when it is first named. */
export type Streams = {
  env: NodeJS.ProcessEnv;
  cwd: () => string;
  stdin: ReadStream;
  stdout: WriteStream;
  stderr: WriteStream;
};

const FALLBACK_SIZE = { columns: 80, rows: 24 };

function currentFolder(cwd: () => string): string {
  try {
    return cwd();
  } catch (error) {
    if (!isAbsent(error)) throw error;
    throw new AppError('FOLDER_GONE', 'The current folder does not exist any more', {}, { cause: error });
  }
}

/** The terminal of this process; a closed reader is not an error and never ends the command. */
export function createTerminal(streams: Streams): Terminal {
  const { env, cwd } = streams;
  const closed = new AbortController();
  // Lost progress output must not end the work.
  const errors = createOutput({ fd: 2, open: () => streams.stderr, onError: () => {} });
  const output = createOutput({
    fd: 1,
    open: () => streams.stdout,
    onError: (error) => {
      closed.abort();
      if (errorCode(error) !== 'EPIPE') errors.write(`Cannot write to stdout: ${messageOf(error)}\n`);
    },
  });
  return {
    env,
    get cwd() {
      return currentFolder(cwd);
    },
    isLive: errors.isTerminal && env.TERM !== 'dumb',
    isOutputTerminal: output.isTerminal,
    colors: { out: usesColor(env, output.isTerminal), err: usesColor(env, errors.isTerminal) },
    outputClosed: closed.signal,
    size: () => ({
      columns: (errors.isTerminal && errors.stream.columns) || FALLBACK_SIZE.columns,
      rows: (errors.isTerminal && errors.stream.rows) || FALLBACK_SIZE.rows,
    }),
    out: (content) => {
      if (!closed.signal.aborted) output.write(content);
    },
    err: (content) => errors.write(content),
    // Node opens stdin when it is first named.
    readInput: () => text(streams.stdin),
    onResize: (listener) => {
      if (!errors.isTerminal) return () => {};
      errors.stream.on('resize', listener);
      return () => errors.stream.off('resize', listener);
    },
  };
}

/** NO_COLOR, FORCE_COLOR and TERM=dumb take precedence over the kind of stream. */
export function usesColor(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR && env.FORCE_COLOR !== '0') return true;
  return isTerminal && env.TERM !== 'dumb';
}
