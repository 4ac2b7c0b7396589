import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fromSystemError } from '../errors.ts';
import { crashpoint } from '../world.ts';

export type DetachedOptions = {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Receives its stdout and stderr; private, opened for appending. */
  logFile: string;
  /** Whether it reads our standard input. */
  passInput?: boolean;
};

/** `announcement` is what the program wrote to ANNOUNCE_FD before it closed it or ended. */
export type Detached = { pid: number; announcement: Promise<string> };

/** The descriptor on which a detached program reports that it has started. */
export const ANNOUNCE_FD = 3;

/** Starts a program in its own session that outlives this process; neither keeps the other alive. */
export async function spawnDetached(command: readonly string[], options: DetachedOptions): Promise<Detached> {
  const [program, ...args] = command;
  if (program === undefined) throw new TypeError('An empty command cannot be started');
  crashpoint('detached.spawning');
  const log = openLog(options.logFile);
  try {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      stdio: [options.passInput ? 'inherit' : 'ignore', log, log, 'pipe'],
    });
    const pid = await started(child);
    child.unref();
    crashpoint('detached.spawned');
    const channel = child.stdio[ANNOUNCE_FD];
    return { pid, announcement: channel instanceof Readable ? text(channel) : Promise.resolve('') };
  } finally {
    closeSync(log);
  }
}

function openLog(file: string): number {
  try {
    return openSync(file, 'a', 0o600);
  } catch (error) {
    throw fromSystemError(error, `opening ${file}`);
  }
}

function started(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => resolve(child.pid ?? 0));
  });
}
