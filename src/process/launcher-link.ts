import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { realWorld, type World } from '../world.ts';

const VARIABLE = 'MANYHANDS_LAUNCHER_FD';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A signal to the whole group reaches launcher and program within a millisecond; this is generous for a busy machine. */
const TOGETHER_MS = 250;

/**
 * Ties this process to the launcher that started it, if one did: it ends with the launcher, even by SIGKILL, and every
 * signal arrives exactly once, whether it was sent to the launcher alone (kill) or to both (Ctrl-C in a terminal).
 */
export function followLauncher(env: NodeJS.ProcessEnv = process.env, world: World = realWorld): void {
  const fd = Number(env[VARIABLE] ?? Number.NaN);
  delete env[VARIABLE];
  if (!Number.isInteger(fd)) return;
  const tellOf = new Map<string, () => void>(SIGNALS.map((signal) => [signal, expect(signal, world)]));
  const link = new Socket({ fd, readable: true, writable: false });
  createInterface({ input: link }).on('line', (line) => tellOf.get(line)?.());
  link.on('error', endNow);
  link.on('close', endNow);
  link.unref();
}

/** Counts what arrives here by itself; the returned function is called for what the launcher got, and raises what did not. */
function expect(signal: NodeJS.Signals, world: World): () => void {
  let arrived: number[] = [];
  let raised = 0;
  const waiting: (() => void)[] = [];
  const arrive = () => {
    if (process.listenerCount(signal) === 1) endBy(signal, arrive);
    else if (raised > 0) raised -= 1;
    else if (waiting.length > 0) waiting.shift()?.();
    else arrived.push(world.now());
  };
  process.on(signal, arrive);
  return () => {
    arrived = arrived.filter((at) => world.now() - at < TOGETHER_MS);
    if (arrived.shift() !== undefined) return;
    const cancel = world.alarm(world.now() + TOGETHER_MS, () => {
      waiting.splice(waiting.indexOf(cancel), 1);
      raised += 1;
      process.kill(process.pid, signal);
    });
    waiting.push(cancel);
  };
}

/** Nobody else listens, so the signal does what it does to any program. */
function endBy(signal: NodeJS.Signals, listener: () => void): void {
  process.off(signal, listener);
  process.kill(process.pid, signal);
}

/** As if the launcher's SIGKILL had hit this process: what it leaves is what a restart takes up. */
function endNow(): void {
  process.kill(process.pid, 'SIGKILL');
}
