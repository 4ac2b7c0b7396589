import type { World } from '../world.ts';

/** A signal that aborts when its time is over; disposing it stops the clock. */
export type TimeLimit = Disposable & { signal: AbortSignal };

/** Starts a limit; the world's alarms ring at the latest after an hour, so that it asks again until the time is over. */
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
