import type { IncomingHttpHeaders } from 'node:http';
import type { RecordedRequest } from './step.ts';

/** A request as tests see it: without secrets, and with all else that was sent. */
export interface SeenRequest extends RecordedRequest {
  api: 'anthropic' | 'responses' | 'gemini';
  path: string;
  headers: Record<string, string>;
  /** Titles, summaries and checks, told by their having no tools. */
  isAside: boolean;
  body: unknown;
}

/** The requests of one scenario, in the order of their arrival. */
export interface Arrivals {
  readonly seen: readonly SeenRequest[];
  add(request: SeenRequest): void;
  /** Resolves at the arrival of the so-manieth request for work. */
  until(count: number): Promise<void>;
}

const SECRET = /^(authorization|proxy-authorization|cookie|x-api-key|x-goog-api-key)$/;

/** Keeps what arrives and wakes who waits for it. */
export function recordArrivals(): Arrivals {
  const seen: SeenRequest[] = [];
  let waiting: { count: number; wake: () => void }[] = [];
  const worked = () => seen.filter(({ isAside }) => !isAside).length;
  return {
    seen,
    add(request) {
      seen.push(request);
      const reached = worked();
      for (const { count, wake } of waiting) if (count <= reached) wake();
      waiting = waiting.filter(({ count }) => count > reached);
    },
    until: (count) =>
      new Promise((resolve) => {
        if (worked() >= count) resolve();
        else waiting.push({ count, wake: resolve });
      }),
  };
}

/** The headers of a request, the values of secret ones blanked. */
export function shownHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, SECRET.test(name) ? '(hidden)' : String(value)]),
  );
}
