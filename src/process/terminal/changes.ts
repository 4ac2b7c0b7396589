import { watch } from 'node:fs';

/** Tells that something in a folder changed; many changes are one. */
export type Changes = {
  /** Resolves when something changed since the last time it did; rejects once it is closed or the signal aborts. */
  next(): Promise<void>;
  /** As if something had changed. */
  wake(): void;
  close(): void;
};

/** Watches a folder by the system's file events; the first look is due at once. */
export function watchChanges(folder: string, signal: AbortSignal): Changes {
  signal.throwIfAborted();
  let isDue = true;
  let stopped: { reason: unknown } | undefined;
  let waiting: PromiseWithResolvers<void> | undefined;
  const watcher = watch(folder, wake);
  watcher.on('error', stop);
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    next: async () => {
      if (stopped) throw stopped.reason;
      if (!isDue) {
        waiting ??= Promise.withResolvers<void>();
        await waiting.promise;
      }
      isDue = false;
    },
    wake,
    close: () => stop(new Error(`The folder ${folder} is not watched any more`)),
  };

  function wake(): void {
    isDue = true;
    waiting?.resolve();
    waiting = undefined;
  }

  function onAbort(): void {
    stop(signal.reason);
  }

  function stop(reason: unknown): void {
    if (stopped) return;
    stopped = { reason };
    signal.removeEventListener('abort', onAbort);
    watcher.close();
    waiting?.reject(reason);
    waiting = undefined;
  }
}
