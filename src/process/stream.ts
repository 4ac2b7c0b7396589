import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { Readable } from 'node:stream';
import { realWorld, type World } from '../world.ts';
import { signalGroup } from './spawner/child.ts';
import { spawnTurn } from './spawner/spawn-turn.ts';
import { timeLimit } from './time-limit.ts';

export type StreamOptions = {
  cwd?: string;
  /** The whole environment: nothing is added. */
  env: Record<string, string>;
  input?: string | Buffer | AsyncIterable<Buffer>;
  timeoutMs: number;
  signal?: AbortSignal;
};

/** How a program ended; after a signal its code is 128 plus the signal's number. */
export type StreamEnd = { code: number; stderr: string; timedOut: boolean };

const MAX_STDERR_CHARS = 8_192;

/**
 * Runs a program and yields its output as it is consumed; the return value is how it ended. When the consumer stops, at
 * the time limit and on abort its whole process group is killed.
 */
export async function* stream(
  command: readonly string[],
  options: StreamOptions,
  world: World = realWorld,
): AsyncGenerator<Buffer, StreamEnd> {
  await spawnTurn();
  options.signal?.throwIfAborted();
  const [program, ...args] = command;
  if (program === undefined) throw new TypeError('An empty command cannot be run');
  const { signal, timeoutMs, input, ...spawnOptions } = options;
  const child = spawn(program, args, { ...spawnOptions, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  // A program may end without reading its input; its exit code reports that.
  child.stdin.on('error', () => {});
  if (input === undefined || typeof input === 'string' || Buffer.isBuffer(input)) child.stdin.end(input);
  else
    Readable.from(input)
      .on('error', () => child.kill('SIGKILL'))
      .pipe(child.stdin);
  const closed = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, name) => resolve(code ?? 128 + (name === null ? 0 : constants.signals[name])));
  });
  // It is awaited below, whatever the consumer does until then.
  closed.catch(() => {});
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (stderr.length < MAX_STDERR_CHARS) stderr += chunk.toString('utf8');
  });
  using limit = timeLimit(timeoutMs, world);
  const stop = () => {
    if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
  };
  limit.signal.addEventListener('abort', stop, { once: true });
  signal?.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of child.stdout) if (Buffer.isBuffer(chunk)) yield chunk;
    const code = await closed;
    signal?.throwIfAborted();
    return { code, stderr: stderr.slice(0, MAX_STDERR_CHARS), timedOut: limit.signal.aborted };
  } finally {
    signal?.removeEventListener('abort', stop);
    if (child.exitCode === null && child.signalCode === null) stop();
  }
}
