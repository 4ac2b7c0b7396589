import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { AppError, errorCode } from '../errors.ts';
import { crashpoint, realWorld, type World } from '../world.ts';
import { joinCgroup, leaveCgroup } from './cgroup.ts';
import { openFifo, waitForRelease } from './fifo.ts';
import { identify, liveness, type ProcessIdentity, requireToken } from './identity.ts';
import { type GroupLimits, limitLaunch, removeLimits } from './limit-groups.ts';
import { childrenOf } from './proc-stat.ts';
import { CHANNEL_FD, FILES, findUnpassable, LEFT_BY_SHIM, SHIM_NAME, shimScript } from './shim.ts';
import { spawnTurn } from './spawn-turn.ts';
import { timeLimit } from './time-limit.ts';
import { waitForExit } from './wait-for-exit.ts';

export type Launch = {
  /** Holds the output, the exit code and the shim's files; one launch per folder. */
  folder: string;
  command: readonly string[];
  cwd: string;
  /** The whole environment; `PWD`, if it is in it, becomes the cwd. */
  env: Record<string, string>;
  /** The path of a file; without it stdin is empty. */
  stdin?: string;
  /** The size limit of every file that the program writes; with `pipeOutput` only of its output. */
  maxFileBytes?: number;
  /** An unguessable value that the caller has put into `env`: a process that has it belongs to this launch. */
  token: string;
  /** Through a pipe, so that a program which reopens /dev/stdout cannot truncate the file. */
  pipeOutput?: boolean;
  /** What the program and everything that it starts may use. */
  limits?: LaunchLimits | undefined;
};

/** Limits of a launch as a whole, of the open files of each of its processes, and of what must stay free on its disk. */
export type LaunchLimits = GroupLimits & { openFiles: number; diskReserveBytes: number };

export type Launched = {
  identity: ProcessIdentity;
  /** Lets the program start; to be called when the identity is recorded. */
  go(): void;
  /** Ends the shim instead; the program is never started. */
  abandon(): Promise<void>;
};

/**
 * `interrupted`: there is no exit code because the shim was killed or the machine stopped; with `hasEnded` the program
 * ended on its own, and its exit code could not be written.
 */
export type Ending = { kind: 'exited'; code: number } | { kind: 'interrupted'; hasEnded?: true };

export type LaunchOptions = { shell?: string; world?: World };

const READY_MS = 30_000;
/** How long a leftover child of the program may delay the output after its end. */
const DRAIN_MS = 2_000;
const EXIT_CODE = /^(\d{1,3}) *\n$/;

/** Starts a shim that outlives this process in its own group and session, and waits; without `go` it ends with this process. */
export async function launch(spec: Launch, options: LaunchOptions = {}): Promise<Launched> {
  requirePassable(spec);
  try {
    return await launchOnce(spec, options);
  } catch (error) {
    // A signal to our own group (Ctrl-C) can reach a shim before it has its own group: it is started again.
    if (error instanceof AppError && error.code === 'INTERNAL') return launchOnce(spec, options);
    throw error;
  }
}

async function launchOnce(spec: Launch, options: LaunchOptions): Promise<Launched> {
  await spawnTurn();
  prepareFolder(spec.folder);
  crashpoint('process.spawning');
  const child = spawnShim(spec, options.shell ?? '/bin/sh');
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const channel = child.stdio[CHANNEL_FD];
  if (!(channel instanceof Socket)) throw new AppError('INTERNAL', 'The shim was started without a channel');
  const joined = joinCgroup(child.pid, spec).then(() => {
    if (spec.limits !== undefined && child.pid !== undefined) limitLaunch(child.pid, spec, spec.limits);
  });
  const clean = async () => {
    if (child.pid !== undefined) await ended;
    await joined;
    await leaveCgroup(spec);
    await removeLimits(spec);
  };
  const starting = { child, channel, spec, world: options.world ?? realWorld };
  const identity = await ready(starting).catch(async (error: unknown) => {
    child.kill('SIGKILL');
    await clean();
    throw error;
  });
  await joined;
  child.unref();
  channel.unref();
  crashpoint('process.spawned');
  return {
    identity,
    go() {
      crashpoint('process.starting');
      channel.end('go\n');
      crashpoint('process.started');
    },
    async abandon() {
      child.ref();
      channel.destroy();
      child.kill('SIGKILL');
      await clean();
    },
  };
}

/** How the program ended, after its shim has ended; also for a shim that an earlier engine started. */
export async function ending(
  folder: string,
  identity: ProcessIdentity,
  signal: AbortSignal = new AbortController().signal,
): Promise<Ending> {
  await waitForExit(folder, identity, signal);
  await waitForDrain(folder, signal);
  return readEnding(folder);
}

/** Whether the program has ended, also while its shim has not. */
export function hasEnded(folder: string, identity: ProcessIdentity): boolean {
  const found = readEnding(folder);
  return found.kind === 'exited' || found.hasEnded === true || liveness(identity) === 'gone';
}

/** Whether no program runs under a shim: it has ended and its exit code is not written yet, or it has not been started. */
export function isWithoutProgram({ pid }: ProcessIdentity): boolean {
  return childrenOf(pid)?.every(({ isEnded }) => isEnded) ?? false;
}

function requirePassable(spec: Launch): void {
  const name = findUnpassable(spec.env);
  if (name !== undefined) {
    throw new AppError('INPUT_INVALID', `The environment variable ${name} cannot be passed to a program`, { name });
  }
  if (spec.command.length === 0) throw new AppError('INPUT_INVALID', 'The command to start is empty');
  requireToken(spec.token);
}

/** Files of an abandoned launch must not be read as this launch's. */
function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) {
    if (LEFT_BY_SHIM.has(name)) rmSync(join(folder, name), { force: true });
  }
}

function spawnShim(spec: Launch, shell: string): ChildProcess {
  const open: number[] = [];
  try {
    open.push(openSync(spec.stdin ?? '/dev/null', 'r'));
    open.push(openSync(join(spec.folder, FILES.stdout), 'a', 0o600));
    open.push(openSync(join(spec.folder, FILES.stderr), 'a', 0o600));
    return spawn(
      shell,
      ['-c', shimScript({ ...spec, openFiles: spec.limits?.openFiles }), SHIM_NAME, spec.folder, ...spec.command],
      {
        cwd: spec.cwd,
        env: spec.env,
        detached: true,
        stdio: [...open, 'pipe'],
      },
    );
  } finally {
    for (const fd of open) closeSync(fd);
  }
}

type Starting = { child: ChildProcess; channel: Socket; spec: Launch; world: World };

async function ready({ child, channel, spec, world }: Starting): Promise<ProcessIdentity> {
  using limit = timeLimit(READY_MS, world);
  // The shim may have ended; that is detected elsewhere.
  channel.on('error', () => {});
  const isReady = await new Promise<boolean>((resolve, reject) => {
    child.once('error', reject);
    channel.once('data', () => resolve(true));
    channel.once('close', () => resolve(false));
    limit.signal.addEventListener('abort', () => resolve(false), { once: true });
  });
  const identity = isReady && child.pid !== undefined ? identify(child.pid) : undefined;
  if (identity === undefined) throw notStarted(spec);
  return identity;
}

function notStarted(spec: Launch): AppError {
  const stderr = readFileSync(join(spec.folder, FILES.stderr), 'utf8').trim();
  return new AppError('INTERNAL', `The shim in ${spec.folder} did not start: ${stderr || 'it printed nothing'}`);
}

async function waitForDrain(folder: string, signal: AbortSignal): Promise<void> {
  const fifo = openFifo(join(folder, FILES.drained));
  if (fifo === undefined) return;
  using limit = timeLimit(DRAIN_MS, realWorld);
  try {
    await waitForRelease(fifo, AbortSignal.any([signal, limit.signal]));
  } catch (error) {
    if (!limit.signal.aborted) throw error;
  }
}

function readEnding(folder: string): Ending {
  try {
    const text = readFileSync(join(folder, FILES.exit), 'latin1');
    if (text === '') return { kind: 'interrupted', hasEnded: true };
    const code = EXIT_CODE.exec(text)?.[1];
    return code === undefined ? { kind: 'interrupted' } : { kind: 'exited', code: Number(code) };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { kind: 'interrupted' };
    throw error;
  }
}
