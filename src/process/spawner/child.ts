import type { ChildProcess } from 'node:child_process';
import { errorCode } from '../../errors.ts';

/** Signals a process group. */
export function signalGroup(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch (error) {
    // The group has already ended; on macOS a group of zombies answers EPERM.
    if (errorCode(error) !== 'ESRCH' && errorCode(error) !== 'EPERM') throw error;
  }
}

/** Whether a child and its pipes keep this process alive: only while something is expected of it. */
export function keepAlive(child: ChildProcess, isNeeded: boolean): void {
  const change = isNeeded ? ('ref' as const) : ('unref' as const);
  child[change]();
  // They are sockets, which the type does not say; a pipe that was not requested is null.
  for (const stream of (child.stdio ?? []) as unknown as ({ ref(): void; unref(): void } | null)[]) stream?.[change]();
}
