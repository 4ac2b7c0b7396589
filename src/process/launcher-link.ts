import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { realWorld, type World } from '../world.ts';

const VARIABLE = 'MANYHANDS_LAUNCHER_FD';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A signal to the whole group reaches launcher and program within a millisecond; this allows for a busy machine. */
const TOGETHER_MS = 250;

/**
 * Links this process to the launcher that started it, if there is one: it ends with the launcher, even by SIGKILL, and
 * every signal arrives exactly once, whether it was sent to the launcher alone (kill) or to both (Ctrl-C in a terminal).
 */
export function followLauncher(env: NodeJS.ProcessEnv = process.env, world: World = realWorld): void {
  const fd = Number(env[VARIABLE] ?? Number.NaN);
  delete env[VARIABLE];
  if (!Number.isInteger(fd)) return;
  const onSignal = new Map<string, () => void>(SIGNALS.map((signal) => [signal, expect(signal, world)]));
  const link = new Socket({ fd, readable: true, writable: false });
  createInterface({ input: link }).on('line', (line) => onSignal.get(line)?.());
  link.on('error', endNow);
  link.on('close', endNow);
  link.unref();
}

/** Counts signals that arrive directly; the returned function is called for each signal of the launcher, and raises missing ones. */
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

/** There is no other listener, so the signal has its default effect. */
function endBy(signal: NodeJS.Signals, listener: () => void): void {
  process.off(signal, listener);
  process.kill(process.pid, signal);
}

/** As if this process had received the launcher's SIGKILL: a restart recovers from its files. */
function endNow(): void {
  process.kill(process.pid, 'SIGKILL');
}
