import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { errorCode } from '../errors.ts';
import { realWorld, type World } from '../world.ts';
import { spawnTurn } from './spawn-turn.ts';
import { timeLimit } from './time-limit.ts';

export type RunOptions = {
  cwd?: string;
  /** The whole environment: nothing is added. */
  env: Record<string, string>;
  input?: string | Buffer;
  timeoutMs: number;
  /** The limit for stdout; further output is read and dropped. */
  maxOutputBytes?: number;
  signal?: AbortSignal;
  /** Receives output as it comes, besides its collection. */
  onStdout?: (chunk: Buffer) => void;
  onStderr?: (chunk: Buffer) => void;
};

export type RunResult = {
  code: number | null;
  signal: string | null;
  stdout: Buffer;
  stderr: string;
  timedOut: boolean;
  truncated: boolean;
};

const DEFAULT_MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const MAX_STDERR_BYTES = 1024 * 1024;
/** The time between SIGTERM and SIGKILL, in which git removes its lock files. */
const KILL_GRACE_MS = 1_000;
/** How long a leftover child of the program may keep the output open. */
const LINGER_MS = 1_000;

/**
 * Runs a program that ends soon and collects its output; a non-zero exit is a result, a program that cannot be started
 * throws the system's error. At the time limit or an abort its whole process group is ended; the abort then throws.
 */
export async function run(
  command: readonly string[],
  options: RunOptions,
  world: World = realWorld,
): Promise<RunResult> {
  await spawnTurn();
  options.signal?.throwIfAborted();
  const child = start(command, options);
  const stdout = collect(child.stdout, options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES);
  const stderr = collect(child.stderr, MAX_STDERR_BYTES);
  if (options.onStdout !== undefined) child.stdout?.on('data', options.onStdout);
  if (options.onStderr !== undefined) child.stderr?.on('data', options.onStderr);
  using limit = timeLimit(options.timeoutMs, world);
  const end = await ended(child, { limit: limit.signal, abort: options.signal, world });
  options.signal?.throwIfAborted();
  return {
    ...end,
    stdout: stdout.bytes(),
    stderr: stderr.bytes().toString('utf8'),
    truncated: stdout.isTruncated(),
  };
}

function start(command: readonly string[], options: RunOptions): ChildProcess {
  const [program, ...args] = command;
  if (program === undefined) throw new TypeError('An empty command cannot be run');
  const child = spawn(program, args, {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: options.env,
    detached: true,
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  // A program may end without reading its input; its exit code reports that.
  child.stdin?.on('error', () => {});
  child.stdin?.end(options.input);
  return child;
}

function collect(stream: Readable | null, maxBytes: number): { bytes(): Buffer; isTruncated(): boolean } {
  const chunks: Buffer[] = [];
  let size = 0;
  let truncated = false;
  stream?.on('data', (chunk: Buffer) => {
    const kept = chunk.subarray(0, maxBytes - size);
    truncated ||= kept.length < chunk.length;
    size += kept.length;
    if (kept.length > 0) chunks.push(kept);
  });
  return { bytes: () => Buffer.concat(chunks, size), isTruncated: () => truncated };
}

type Stops = { limit: AbortSignal; abort: AbortSignal | undefined; world: World };
type End = { code: number | null; signal: string | null; timedOut: boolean };

function ended(child: ChildProcess, { limit, abort, world }: Stops): Promise<End> {
  let cancelAlarm = () => {};
  let hasExited = false;
  let timedOut = false;
  const kill = () => signalGroup(child, 'SIGKILL');
  const stop = () => {
    if (hasExited) return;
    timedOut = limit.aborted;
    signalGroup(child, 'SIGTERM');
    cancelAlarm = world.alarm(world.now() + KILL_GRACE_MS, kill);
  };
  limit.addEventListener('abort', stop, { once: true });
  abort?.addEventListener('abort', stop, { once: true });
  const finished = new Promise<End>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => {
      hasExited = true;
      cancelAlarm();
      if (timedOut || abort?.aborted) kill();
      cancelAlarm = world.alarm(world.now() + LINGER_MS, () => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      });
    });
    child.once('close', (code, signal) => resolve({ code, signal, timedOut }));
  });
  return finished.finally(() => {
    cancelAlarm();
    abort?.removeEventListener('abort', stop);
  });
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    // The group has already ended; on macOS a group of zombies answers EPERM.
    if (errorCode(error) !== 'ESRCH' && errorCode(error) !== 'EPERM') throw error;
  }
}

/** Starts a program that outlives this one, without its terminal; resolves with whether it could be started. */
export function startAlone(command: readonly string[], env: Record<string, string>): Promise<boolean> {
  const [program = '', ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, { env, stdio: 'ignore', detached: true });
    child.on('error', () => resolve(false));
    child.on('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

/** Runs a program in the user's terminal, such as an editor, and resolves with its exit code when it ends; null for a signal. */
export function runInForeground(command: readonly string[], env: NodeJS.ProcessEnv): Promise<number | null> {
  const [program = '', ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: 'inherit' });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code));
  });
}
