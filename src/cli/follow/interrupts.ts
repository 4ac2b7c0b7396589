import type { Caller } from '../../access/caller.ts';
import type { Platform, StopSignal } from '../platform.ts';

/** How it was interrupted: running attempts finished, were stopped, continue in another process, or the engine was stopped by a command. */
export type Interruption = 'drained' | 'stopped' | 'left' | 'ended';

export interface Interrupts extends AsyncDisposable {
  /** Aborted when there is nothing more to follow. */
  readonly signal: AbortSignal;
  how(): Interruption | undefined;
}

export type InterruptOptions = {
  platform: Platform;
  caller: Caller;
  report: (text: string) => void;
  inFlight: () => string[];
};

/** The first Ctrl-C lets running attempts finish, the second stops them; if another process is the engine, it only ends this command. */
export function listenForInterrupts({ platform, caller, report, inFlight }: InterruptOptions): Interrupts {
  const over = new AbortController();
  const pending: Promise<void>[] = [];
  let how: Interruption | undefined;

  function end(next: Interruption, ending: Promise<void>): void {
    how = next;
    pending.push(ending.finally(() => over.abort()));
    // Disposal rethrows the failure; until then it must not count as unhandled.
    pending.at(-1)?.catch(() => {});
  }

  function onSignal(signal: StopSignal): void {
    if (caller.engine() !== 'own') end('left', Promise.resolve());
    else if (how === undefined && signal === 'SIGINT') {
      report(drainText(inFlight()));
      end('drained', caller.drain());
    } else if (how !== 'stopped' && how !== 'ended') {
      report('Stopping the agents and saving their work…');
      end('stopped', caller.stop());
    }
  }

  function onEngineEnding(): void {
    if (how === 'stopped') return;
    report('The engine is stopping…');
    end('ended', caller.leave());
  }

  const stopListening = platform.onSignal(onSignal);
  caller.ending.addEventListener('abort', onEngineEnding, { once: true });
  if (caller.ending.aborted) onEngineEnding();
  return {
    signal: over.signal,
    how: () => how,
    [Symbol.asyncDispose]: async () => {
      try {
        await Promise.all(pending);
      } finally {
        stopListening();
        caller.ending.removeEventListener('abort', onEngineEnding);
      }
    },
  };
}

function drainText(keys: readonly string[]): string {
  if (keys.length === 0) return 'No new attempt is started. Press Ctrl-C again to stop immediately.';
  const [first, second, ...more] = keys;
  const names = [first, second, more.length > 0 ? `${more.length} more` : undefined].filter(
    (name) => name !== undefined,
  );
  return `No new attempt is started; waiting for ${names.join(', ')} to end. Press Ctrl-C again to stop immediately.`;
}
