import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { realWorld } from '../world.ts';
import { timeLimit } from './time-limit.ts';

/**
 * The process at the other end of a Unix socket, as the kernel recorded it when it connected. `foreign`: it is outside
 * this pid namespace and those below it. `unidentified`: this system has no way to find out.
 */
export type Peer =
  | { kind: 'process'; pid: number; connectedBefore: number }
  | { kind: 'foreign' }
  | { kind: 'unidentified'; reason: string };

/** Node does not show a peer's credentials; each of these programs prints those of its standard input. */
const PROGRAMS: readonly (readonly string[])[] = [
  ['perl', '-e', 'print unpack("i", getsockopt(STDIN, 1, 17))'],
  [
    'python3',
    '-I',
    '-S',
    '-c',
    'import socket, struct; print(struct.unpack("3i", socket.socket(fileno=0).getsockopt(1, 17, 12))[0])',
  ],
];
/** Programs of the system only: in a user's PATH they can be slow wrappers. */
const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';
const NO_PROGRAM = 'neither perl nor python3 is installed in /usr/bin';
const TIMEOUT_MS = 10_000;
/** Linux reports the start times of processes in these units on every architecture. */
const TICKS_PER_SECOND = 100;

/** Identifies the process that opened a connection; to be called once the connection was accepted. */
export async function peerOf(socket: Socket): Promise<Peer> {
  if (process.platform !== 'linux') return { kind: 'unidentified', reason: `${process.platform} does not show it` };
  const connectedBefore = uptimeTicks();
  // Passing the socket itself would stop this process from reading it, so its descriptor is passed.
  const { _handle: handle } = socket as Socket & { _handle: { fd: number } | null };
  if (handle === null) return { kind: 'unidentified', reason: 'the connection was closed' };
  for (const command of PROGRAMS) {
    const output = await outputOf(command, handle.fd);
    if (!/^\d+\s*$/.test(output)) continue;
    const pid = Number(output);
    return pid === 0 ? { kind: 'foreign' } : { kind: 'process', pid, connectedBefore };
  }
  return { kind: 'unidentified', reason: NO_PROGRAM };
}

/** Why callers of the engine cannot be identified on this system; undefined where they can. */
export function identificationProblem(): string | undefined {
  if (process.platform !== 'linux') return `${process.platform} does not show who connects`;
  const folders = SYSTEM_PATH.split(':');
  const isInstalled = PROGRAMS.some(([name = '']) => folders.some((folder) => existsSync(join(folder, name))));
  return isInstalled ? undefined : NO_PROGRAM;
}

function uptimeTicks(): number {
  return Math.ceil(Number.parseFloat(readFileSync('/proc/uptime', 'latin1')) * TICKS_PER_SECOND);
}

async function outputOf([program = '', ...args]: readonly string[], stdin: number): Promise<string> {
  using limit = timeLimit(TIMEOUT_MS, realWorld);
  const child = spawn(program, args, {
    env: { PATH: SYSTEM_PATH, LC_ALL: 'C' },
    stdio: [stdin, 'pipe', 'ignore'],
    signal: limit.signal,
    killSignal: 'SIGKILL',
  });
  const closed = Promise.withResolvers<void>();
  // A program that is missing or too slow is skipped.
  child.once('error', () => closed.resolve()).once('close', () => closed.resolve());
  const output = child.stdout === null ? '' : text(child.stdout).catch(() => '');
  await closed.promise;
  return output;
}
