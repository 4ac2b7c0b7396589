import type { App } from '../app.ts';
import type { AttemptCaller } from './attempt-caller.ts';
import { requireControl } from './find-run.ts';

type Reading = {
  /** The streams whose events can change what is read. */
  streams: readonly string[];
  /** When it is read again although nothing changed, such as the end of a lease. */
  wakeAt?: () => number | undefined;
  seconds: number;
  signal: AbortSignal;
};
type Waiting = Reading & { caller: Pick<AttemptCaller, 'run' | 'task'> };

/**
 * Reads until there is something, after each change of the streams; undefined when the time is over. The attempt of the
 * caller counts as waiting meanwhile.
 */
export function waitForChange<T>(
  app: App,
  waiting: Waiting,
  read: () => T | undefined | Promise<T | undefined>,
): Promise<T | undefined> {
  return requireControl(app).waits.during(waiting.caller, () => readUntilFound(app, waiting, read));
}

/** The same for a caller that is no attempt. */
export async function readUntilFound<T>(
  { store, world }: App,
  { streams, wakeAt, seconds, signal }: Reading,
  read: () => T | undefined | Promise<T | undefined>,
): Promise<T | undefined> {
  const until = world.now() + seconds * 1_000;
  let changed = Promise.withResolvers<void>();
  const wake = () => changed.resolve();
  const stop = store.onAppend((events) => {
    if (events.some(({ stream }) => streams.includes(stream))) wake();
  });
  signal.addEventListener('abort', wake, { once: true });
  try {
    for (;;) {
      changed = Promise.withResolvers<void>();
      const found = await read();
      if (found !== undefined || signal.aborted || world.now() >= until) return found;
      const cancel = world.alarm(Math.min(until, wakeAt?.() ?? until), wake);
      await changed.promise;
      cancel();
    }
  } finally {
    stop();
    signal.removeEventListener('abort', wake);
  }
}
