import type { World } from '../world.ts';

/** A signal that aborts after a time; disposing it stops the timer. */
export type TimeLimit = Disposable & { signal: AbortSignal };

/** Starts a time limit; the world's alarms fire after an hour at most, so they are set again until the time is over. */
export function timeLimit(ms: number, world: World): TimeLimit {
  const controller = new AbortController();
  const end = world.now() + ms;
  let cancel = world.alarm(end, ring);
  return { signal: controller.signal, [Symbol.dispose]: () => cancel() };

  function ring(): void {
    if (world.now() >= end) controller.abort();
    else cancel = world.alarm(end, ring);
  }
}
