import { spawn } from 'node:child_process';
import { realWorld, type World } from '../world.ts';
import { signalGroup } from './spawner/child.ts';
import { spawnTurn } from './spawner/spawn-turn.ts';
import { ProgramLost, processSpawner, type Spawner } from './spawner/spawner.ts';
import type { OutputListeners, Program, ProgramRequest } from './spawner/spawner-program.ts';
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
  /** Called before each start: where a repeatable program runs again, its output begins again. */
  onStart?: () => void;
  /** Receives output as it comes, besides its collection. */
  onStdout?: (chunk: Buffer) => void;
  onStderr?: (chunk: Buffer) => void;
  /** It may run twice with the same effect, so that the spawner may start it: it runs again where its end was lost. */
  isRepeatable?: boolean;
  /** Whether the effect of a repeatable program is there, where its end was lost: then it does not run again and counts as a success. */
  isDone?: () => Promise<boolean>;
  /** Instead of the spawner of this process. */
  spawner?: Spawner;
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
const SUCCESS = { code: 0, signal: null, stdout: Buffer.alloc(0), stderr: '', timedOut: false, truncated: false };
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
  options.signal?.throwIfAborted();
  if (options.isRepeatable === true) {
    const output = collectOutput(options);
    const program = (options.spawner ?? processSpawner).start({ ...options, command }, output.listeners);
    try {
      if (program !== undefined) return await resultOf(program, output, { options, world });
    } catch (error) {
      if (!(error instanceof ProgramLost)) throw error;
      if ((await options.isDone?.()) === true) return SUCCESS;
    }
  }
  await spawnTurn();
  options.signal?.throwIfAborted();
  const output = collectOutput(options);
  return resultOf(startHere({ ...options, command }, output.listeners), output, { options, world });
}

type Output = { listeners: OutputListeners; stdout: Collected; stderr: Collected };

function collectOutput(options: RunOptions): Output {
  options.onStart?.();
  const stdout = collect(options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES, options.onStdout);
  const stderr = collect(MAX_STDERR_BYTES, options.onStderr);
  return { listeners: { stdout: stdout.add, stderr: stderr.add }, stdout, stderr };
}

async function resultOf(
  program: Program,
  { stdout, stderr }: Output,
  { options, world }: { options: RunOptions; world: World },
): Promise<RunResult> {
  using limit = timeLimit(options.timeoutMs, world);
  const end = await ended(program, { limit: limit.signal, abort: options.signal, world });
  options.signal?.throwIfAborted();
  return {
    ...end,
    stdout: stdout.bytes(),
    stderr: stderr.bytes().toString('utf8'),
    truncated: stdout.isTruncated(),
  };
}

function startHere({ command, cwd, env, input }: ProgramRequest, output: OutputListeners): Program {
  const [name, ...args] = command;
  if (name === undefined) throw new TypeError('An empty command cannot be run');
  const child = spawn(name, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env,
    detached: true,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  // A program may end without reading its input; its exit code reports that.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  child.stdout?.on('data', output.stdout);
  child.stderr?.on('data', output.stderr);
  return {
    signal: (signal) => {
      if (child.pid !== undefined) signalGroup(child.pid, signal);
    },
    drop: () => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
    onExit: (listener) => child.once('exit', listener),
    closed: new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve({ code, signal }));
    }),
  };
}

type Collected = { add(chunk: Buffer): void; bytes(): Buffer; isTruncated(): boolean };

function collect(maxBytes: number, listener: ((chunk: Buffer) => void) | undefined): Collected {
  const chunks: Buffer[] = [];
  let size = 0;
  let truncated = false;
  const add = (chunk: Buffer) => {
    listener?.(chunk);
    const kept = chunk.subarray(0, maxBytes - size);
    truncated ||= kept.length < chunk.length;
    size += kept.length;
    if (kept.length > 0) chunks.push(kept);
  };
  return { add, bytes: () => Buffer.concat(chunks, size), isTruncated: () => truncated };
}

type Stops = { limit: AbortSignal; abort: AbortSignal | undefined; world: World };
type End = { code: number | null; signal: string | null; timedOut: boolean };

async function ended(program: Program, { limit, abort, world }: Stops): Promise<End> {
  let cancelAlarm = () => {};
  let hasExited = false;
  let timedOut = false;
  const kill = () => program.signal('SIGKILL');
  const stop = () => {
    if (hasExited) return;
    timedOut = limit.aborted;
    program.signal('SIGTERM');
    cancelAlarm = world.alarm(world.now() + KILL_GRACE_MS, kill);
  };
  limit.addEventListener('abort', stop, { once: true });
  abort?.addEventListener('abort', stop, { once: true });
  program.onExit(() => {
    hasExited = true;
    cancelAlarm();
    if (timedOut || abort?.aborted) kill();
    cancelAlarm = world.alarm(world.now() + LINGER_MS, () => program.drop());
  });
  try {
    return { ...(await program.closed), timedOut };
  } catch (error) {
    if (timedOut && error instanceof ProgramLost) return { code: null, signal: 'SIGKILL', timedOut };
    throw error;
  } finally {
    cancelAlarm();
    abort?.removeEventListener('abort', stop);
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
