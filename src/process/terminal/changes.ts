import { watchPath } from '../files/watch-path.ts';

/** Signals changes in a folder; several changes count as one. */
export type Changes = {
  /** Resolves when something changed since the previous call; rejects after close or abort. */
  next(): Promise<void>;
  /** Signals a change. */
  wake(): void;
  close(): void;
};

/** Watches a folder with file system events; the first `next` resolves at once. */
export function watchChanges(folder: string, signal: AbortSignal): Changes {
  signal.throwIfAborted();
  let isDue = true;
  let stopped: { reason: unknown } | undefined;
  let pending: PromiseWithResolvers<void> | undefined;
  const watcher = watchPath(folder, wake);
  watcher.on('error', stop);
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    next: async () => {
      if (stopped) throw stopped.reason;
      if (!isDue) {
        pending ??= Promise.withResolvers<void>();
        await pending.promise;
      }
      isDue = false;
    },
    wake,
    close: () => stop(new Error(`The folder ${folder} is no longer watched`)),
  };

  function wake(): void {
    isDue = true;
    pending?.resolve();
    pending = undefined;
  }

  function onAbort(): void {
    stop(signal.reason);
  }

  function stop(reason: unknown): void {
    if (stopped) return;
    stopped = { reason };
    signal.removeEventListener('abort', onAbort);
    watcher.close();
    pending?.reject(reason);
    pending = undefined;
  }
}
