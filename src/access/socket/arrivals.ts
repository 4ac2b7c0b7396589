export interface Arrivals<T> {
  push(value: T): void;
  /** What has arrived is still given, then every `next` rejects with the reason. */
  close(reason: Error): void;
  next(): Promise<T>;
}

/** A queue with one reader, who waits for what has not arrived yet. */
export function createArrivals<T>(): Arrivals<T> {
  const queue: T[] = [];
  let reason: Error | undefined;
  let wake = () => {};
  return {
    push: (value) => {
      queue.push(value);
      wake();
    },
    close: (why) => {
      reason ??= why;
      wake();
    },
    next: async () => {
      for (;;) {
        const value = queue.shift();
        if (value !== undefined) return value;
        if (reason !== undefined) throw reason;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
