/** A decision that waits for the code which the terminal of the engine shows. */
export type Confirmation = { message: string; answer(code: string | undefined): void };

let current: Confirmation | undefined;
const listeners = new Set<() => void>();

/** Asks the person for a code; undefined if they give none. A later decision replaces one that waits. */
export function requestCode(message: string): Promise<string | undefined> {
  current?.answer(undefined);
  return new Promise((resolve) => {
    const request: Confirmation = {
      message,
      answer: (code) => {
        if (current === request) set(undefined);
        resolve(code);
      },
    };
    set(request);
  });
}

export function currentConfirmation(): Confirmation | undefined {
  return current;
}

export function onConfirmation(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function set(next: Confirmation | undefined): void {
  current = next;
  for (const listener of listeners) listener();
}
