/** Wakes all current waiters when something changes; a later waiter waits for the next change. */
export interface ChangeSignal {
  notify(): void;
  /** Resolves at the next notification, or when the signal aborts. */
  next(signal: AbortSignal): Promise<void>;
}

export function createChangeSignal(): ChangeSignal {
  let current = Promise.withResolvers<void>();
  return {
    notify: () => {
      current.resolve();
      current = Promise.withResolvers<void>();
    },
    next: async (signal) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      void current.promise.then(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      if (signal.aborted) resolve();
      await promise;
    },
  };
}
