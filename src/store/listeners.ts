export interface Listeners<T> {
  add(listener: (value: T) => void): () => void;
  tell(value: T): void;
}

/** Tells everybody in the order of arrival; a listener that throws is a defect, which surfaces uncaught after all were told. */
export function createListeners<T>(): Listeners<T> {
  const entries = new Set<{ listener: (value: T) => void }>();
  return {
    add: (listener) => {
      const entry = { listener };
      entries.add(entry);
      return () => {
        entries.delete(entry);
      };
    },
    tell: (value) => {
      for (const { listener } of [...entries]) {
        try {
          listener(value);
        } catch (error) {
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    },
  };
}
