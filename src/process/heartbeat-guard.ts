import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { uptime } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { World } from '../world.ts';

/** A process that acts when this one does not confirm in time that it may continue, also when this one is killed or paused. */
export interface HeartbeatGuard extends AsyncDisposable {
  /** Confirms: the guard waits again, less what the confirmation itself took. */
  beat(elapsedMs: number): void;
  /** Resolves when it has ended: it has acted, or was killed. */
  readonly ended: Promise<void>;
}

/** Starts a guard: a program that calls `keepGuard`. */
export function startGuard(command: readonly string[], env: NodeJS.ProcessEnv): HeartbeatGuard {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { env, detached: true, stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(child, 'exit').then(() => {});
  // Safe: a guard that cannot be written to has ended, which is reported.
  child.stdin.on('error', () => {});
  return {
    ended,
    beat: (elapsedMs) => void child.stdin.write(`${Math.round(elapsedMs)}\n`),
    [Symbol.asyncDispose]: async () => {
      child.stdin.end('over\n');
      await ended;
    },
  };
}

/** Timers stand still while the machine sleeps: none of a guard is longer, so that it acts soon after the machine wakes. */
const LONGEST_WAIT_MS = 1_000;

/**
 * Waits in a guard until the guarded process is over, or does not confirm in time; returns which. The time in which the
 * machine sleeps counts: others may begin with its work meanwhile.
 */
export async function keepGuard(
  input: Readable,
  limitMs: number,
  world: World,
  uptimeMs = () => uptime() * 1_000,
): Promise<'over' | 'late'> {
  let isOver = false;
  const late = Promise.withResolvers<'late'>();
  let endsAt = uptimeMs() + limitMs;
  let cancel = () => {};
  const wait = () => {
    const leftMs = endsAt - uptimeMs();
    if (leftMs <= 0) return late.resolve('late');
    cancel = world.alarm(world.now() + Math.min(leftMs, LONGEST_WAIT_MS), wait);
  };
  wait();
  const lines = createInterface({ input });
  lines.on('line', (line) => {
    if (line === 'over') isOver = true;
    else endsAt = uptimeMs() + Math.max(0, limitMs - Number(line));
  });
  const closed = once(lines, 'close').then(() => (isOver ? ('over' as const) : ('late' as const)));
  const result = await Promise.race([closed, late.promise]);
  cancel();
  lines.close();
  return result;
}
