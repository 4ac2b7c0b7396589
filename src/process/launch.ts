import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import { crashpoint, realWorld, type World } from '../world.ts';
import { joinCgroup, leaveCgroup } from './cgroup.ts';
import { readPlainStart } from './files/plain-file.ts';
import { identify, liveness, type ProcessIdentity, requireToken } from './identity.ts';
import { type GroupLimits, limitLaunch, removeLimits } from './limit-groups.ts';
import { type LostOutput, lostOutput, waitForDrain } from './lost-output.ts';
import { childrenOf } from './proc-stat.ts';
import { CHANNEL_FD, FILES, fifosOf, findUnpassable, LEFT_BY_SHIM, SHIM_NAME, shimScript } from './shim.ts';
import { signalGroup } from './spawner/child.ts';
import { spawnTurn } from './spawner/spawn-turn.ts';
import { processSpawner, type Spawner, type StartedShim } from './spawner/spawner.ts';
import { timeLimit } from './time-limit.ts';
import { processGone, waitForExit } from './wait-for-exit.ts';

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
 * ended on its own, and its exit code could not be written. `lost`: what it wrote and is not in its files.
 */
export type Ending = ({ kind: 'exited'; code: number } | { kind: 'interrupted'; hasEnded?: true }) & {
  lost?: readonly LostOutput[];
};

export type LaunchOptions = { shell?: string; world?: World; spawner?: Spawner };

const READY_MS = 30_000;
/** How long a leftover child of the program may delay the output after its end. */
const DRAIN_MS = 2_000;
/** More than an exit code needs, so that a longer text is none. */
const EXIT_FILE_BYTES = 16;
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
  const shim = await startShim(spec, options);
  const { pid, channel } = shim;
  const joined = joinCgroup(pid, spec).then(async () => {
    if (spec.limits !== undefined) await limitLaunch(pid, spec, spec.limits);
  });
  const clean = async () => {
    await shim.ended();
    await joined;
    await leaveCgroup(spec);
    await removeLimits(spec);
  };
  const identity = await ready(shim, spec, options.world ?? realWorld).catch(async (error: unknown) => {
    shim.kill();
    await clean();
    throw error;
  });
  await joined;
  shim.unref();
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
      channel.destroy();
      shim.kill();
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
  const isDrained = await waitForDrain(folder, signal, DRAIN_MS);
  const end = readEnding(folder);
  const lost = end.kind === 'interrupted' && !end.hasEnded ? [] : lostOutput(folder, isDrained);
  return lost.length === 0 ? end : { ...end, lost };
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

/** The process of a shim: a child of this process or of its spawner. */
type Shim = { pid: number; channel: Socket; ended(): Promise<void>; kill(): void; unref(): void };

async function startShim(spec: Launch, { shell = '/bin/sh', spawner = processSpawner }: LaunchOptions): Promise<Shim> {
  const script = shimScript({ ...spec, openFiles: spec.limits?.openFiles });
  const command = [shell, '-c', script, SHIM_NAME, spec.folder, ...spec.command] as const;
  const stdin = spec.stdin ?? '/dev/null';
  const files = { stdin, stdout: join(spec.folder, FILES.stdout), stderr: join(spec.folder, FILES.stderr) };
  const open: number[] = [];
  try {
    open.push(openSync(files.stdin, 'r'));
    open.push(openSync(files.stdout, 'a', 0o600));
    open.push(openSync(files.stderr, 'a', 0o600));
    const fifos = { folder: spec.folder, names: fifosOf(spec) };
    const started = await spawner.startShim({ command, cwd: spec.cwd, env: spec.env, files, fifos });
    if (started === undefined) return await spawnHere(command, spec, open);
    return ofSpawner(started);
  } finally {
    for (const fd of open) closeSync(fd);
  }
}

async function spawnHere(
  [shell, ...args]: readonly [string, ...string[]],
  { cwd, env }: Launch,
  files: readonly number[],
): Promise<Shim> {
  const child = spawn(shell, args, { cwd, env, detached: true, stdio: [...files, 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  const channel = child.stdio[CHANNEL_FD];
  if (!(channel instanceof Socket) || child.pid === undefined)
    throw new AppError('INTERNAL', 'The shim was started without a channel');
  return {
    pid: child.pid,
    channel,
    ended: () => {
      child.ref();
      return ended;
    },
    kill: () => child.kill('SIGKILL'),
    unref: () => child.unref(),
  };
}

/** Its end is looked for: the spawner that would report it may have died. */
function ofSpawner({ identity, channel }: StartedShim): Shim {
  return {
    pid: identity.pid,
    channel,
    ended: () => processGone(identity),
    kill: () => {
      if (liveness(identity) !== 'gone') signalGroup(identity.pid, 'SIGKILL');
    },
    unref: () => {},
  };
}

async function ready({ pid, channel }: Shim, spec: Launch, world: World): Promise<ProcessIdentity> {
  using limit = timeLimit(READY_MS, world);
  // The shim may have ended; that is detected elsewhere.
  channel.on('error', () => {});
  const isReady = await new Promise<boolean>((resolve) => {
    channel.once('data', () => resolve(true));
    channel.once('close', () => resolve(false));
    limit.signal.addEventListener('abort', () => resolve(false), { once: true });
    channel.resume();
  });
  const identity = isReady ? identify(pid) : undefined;
  if (identity === undefined) throw notStarted(spec);
  return identity;
}

function notStarted(spec: Launch): AppError {
  const stderr = readFileSync(join(spec.folder, FILES.stderr), 'utf8').trim();
  return new AppError('INTERNAL', `The shim in ${spec.folder} did not start: ${stderr || 'it printed nothing'}`);
}

/** Without an exit code that the shim wrote, the end is not known. */
function readEnding(folder: string): Ending {
  const text = readPlainStart(join(folder, FILES.exit), EXIT_FILE_BYTES);
  if (text === '') return { kind: 'interrupted', hasEnded: true };
  const code = EXIT_CODE.exec(text ?? '')?.[1];
  return code === undefined ? { kind: 'interrupted' } : { kind: 'exited', code: Number(code) };
}
