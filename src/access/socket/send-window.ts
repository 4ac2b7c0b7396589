export interface SendWindow {
  /** Resolves when there is room again, or when the signal aborts. */
  room(signal: AbortSignal): Promise<void>;
  sent(bytes: number): void;
  taken(bytes: number): void;
}

/** Paces one stream by its reader: what was sent and not taken stays below the size, plus one item. */
export function createSendWindow(sizeBytes: number): SendWindow {
  let outstanding = 0;
  let wake = () => {};
  return {
    room: async (signal) => {
      if (outstanding < sizeBytes || signal.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      signal.addEventListener('abort', wake, { once: true });
      await promise;
      signal.removeEventListener('abort', wake);
    },
    sent: (bytes) => {
      outstanding += bytes;
    },
    taken: (bytes) => {
      outstanding -= bytes;
      if (outstanding < sizeBytes) wake();
    },
  };
}
