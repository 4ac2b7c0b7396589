import type { Caller } from '../../access/caller.ts';
import type { Platform, StopSignal } from '../platform.ts';

/** How a person broke off: work was finished, was stopped, goes on elsewhere without being watched, or somebody ended the engine. */
export type Interruption = 'drained' | 'stopped' | 'left' | 'ended';

export interface Interrupts extends AsyncDisposable {
  /** Aborted when nothing is left to watch. */
  readonly signal: AbortSignal;
  how(): Interruption | undefined;
}

export type InterruptOptions = {
  platform: Platform;
  caller: Caller;
  say: (text: string) => void;
  inFlight: () => string[];
};

/** Ctrl-C once lets the running attempts finish, twice stops them; where another process is the engine it only stops watching. */
export function listenForInterrupts({ platform, caller, say, inFlight }: InterruptOptions): Interrupts {
  const over = new AbortController();
  const pending: Promise<void>[] = [];
  let how: Interruption | undefined;

  function end(next: Interruption, ending: Promise<void>): void {
    how = next;
    pending.push(ending.finally(() => over.abort()));
    // Whoever disposes of this gets the failure; until then it is not unhandled.
    pending.at(-1)?.catch(() => {});
  }

  function hear(signal: StopSignal): void {
    if (caller.engine() !== 'own') end('left', Promise.resolve());
    else if (how === undefined && signal === 'SIGINT') {
      say(drainText(inFlight()));
      end('drained', caller.drain());
    } else if (how !== 'stopped' && how !== 'ended') {
      say('Stopping the agents and saving their work…');
      end('stopped', caller.stop());
    }
  }

  function hearEnding(): void {
    if (how === 'stopped') return;
    say('The engine was asked to end…');
    end('ended', caller.leave());
  }

  const stopListening = platform.onSignal(hear);
  caller.ending.addEventListener('abort', hearEnding, { once: true });
  if (caller.ending.aborted) hearEnding();
  return {
    signal: over.signal,
    how: () => how,
    [Symbol.asyncDispose]: async () => {
      try {
        await Promise.all(pending);
      } finally {
        stopListening();
        caller.ending.removeEventListener('abort', hearEnding);
      }
    },
  };
}

function drainText(keys: readonly string[]): string {
  if (keys.length === 0) return 'Nothing new is started. Press Ctrl-C again to stop at once.';
  const [first, second, ...more] = keys;
  const names = [first, second, more.length > 0 ? `${more.length} more` : undefined].filter(
    (name) => name !== undefined,
  );
  return `Nothing new is started; waiting for ${names.join(', ')} to end. Press Ctrl-C again to stop at once.`;
}
