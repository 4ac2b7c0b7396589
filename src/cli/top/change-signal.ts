/** Wakes those who wait for something to change; who waits later waits for the next time. */
export interface ChangeSignal {
  ring(): void;
  /** Resolves at the next ring, or when the signal aborts. */
  next(signal: AbortSignal): Promise<void>;
}

export function createChangeSignal(): ChangeSignal {
  let current = Promise.withResolvers<void>();
  return {
    ring: () => {
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
