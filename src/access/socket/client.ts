import { AppError } from '../../errors.ts';
import type { Origin } from '../../schema/actor.ts';
import { type Answer, reviveError, WINDOW_BYTES } from './protocol.ts';
import { requireOwnFolder } from './socket-path.ts';
import { openWire, type Wire } from './wire.ts';

interface Arrivals<T> {
  push(value: T): void;
  /** What has arrived is still given, then every `next` rejects with the reason. */
  close(reason: Error): void;
  next(): Promise<T>;
}

/** A connection to the engine, for many requests at once; when the engine dies, all of them reject with ENGINE_GONE. */
export interface SocketClient extends AsyncDisposable {
  /** One answer; an abort tells the engine to stop and rejects with the signal's reason. */
  call(operation: string, input: unknown, call?: SocketCall): Promise<unknown>;
  /** Answers one after another, asked for when the reading begins; leaving the loop tells the engine to stop. */
  stream(operation: string, input: unknown, call?: SocketCall): AsyncIterable<unknown>;
  /** Resolves when the connection is over, whoever ended it. */
  readonly closed: Promise<void>;
}

type Request = { operation: string; input: unknown; origin?: Origin };

/** Until when the answer is awaited, and who calls. */
type SocketCall = { signal?: AbortSignal; origin?: Origin };

type Arrival = { answer: Answer; bytes: number };

/** Connects to the engine; undefined when nobody listens: a socket file that was left behind is no engine. */
export async function connectSocket(path: string, signal?: AbortSignal): Promise<SocketClient | undefined> {
  signal?.throwIfAborted();
  await requireOwnFolder(path);
  const wire = openWire(path);
  const onAbort = () => wire.destroy(abortReason(signal));
  signal?.addEventListener('abort', onAbort, { once: true });
  const isGreeted = await wire.greeted.finally(() => signal?.removeEventListener('abort', onAbort));
  return isGreeted ? createClient(wire) : undefined;
}

function createClient(wire: Wire): SocketClient {
  return {
    call: (operation, input, options = {}) => call(wire, requestOf(operation, input, options), options.signal),
    stream: (operation, input, options = {}) => stream(wire, requestOf(operation, input, options), options.signal),
    closed: wire.closed,
    [Symbol.asyncDispose]: async () => {
      wire.destroy();
      await wire.closed;
    },
  };
}

function requestOf(operation: string, input: unknown, { origin }: SocketCall): Request {
  return { operation, input, ...(origin === undefined ? {} : { origin }) };
}

async function call(wire: Wire, request: Request, signal?: AbortSignal): Promise<unknown> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const id = wire.ask(request, { hear: resolve, lose: () => reject(gone(request)) });
  if (id === undefined) throw gone(request);
  const onAbort = () => reject(abortReason(signal));
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return resultOf(await promise, request);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    wire.forget(id);
  }
}

function resultOf(answer: Answer, { operation }: Request): unknown {
  switch (answer.type) {
    case 'result':
      return answer.value;
    case 'error':
      throw reviveError(answer.error);
    case 'item':
    case 'end':
      throw new AppError('INTERNAL', `The operation ${operation} answers with a stream`, { operation });
  }
}

async function* stream(wire: Wire, request: Request, signal?: AbortSignal): AsyncGenerator<unknown> {
  signal?.throwIfAborted();
  const arrivals = createArrivals<Arrival>();
  const hear = (answer: Answer, bytes: number) => arrivals.push({ answer, bytes });
  const id = wire.ask(request, { hear, lose: () => arrivals.close(gone(request)) });
  if (id === undefined) throw gone(request);
  const onAbort = () => arrivals.close(abortReason(signal));
  signal?.addEventListener('abort', onAbort, { once: true });
  let taken = 0;
  try {
    for (;;) {
      const { answer, bytes } = await arrivals.next();
      signal?.throwIfAborted();
      if (answer.type === 'end') return;
      yield answer.type === 'item' ? answer.value : resultOf(answer, request);
      if (answer.type === 'result') return;
      taken += bytes;
      if (taken < WINDOW_BYTES / 4) continue;
      wire.took(id, taken);
      taken = 0;
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    wire.forget(id);
  }
}

function abortReason(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('Aborted', { cause: reason });
}

function gone({ operation }: Request): AppError {
  return new AppError('ENGINE_GONE', `The engine ended before it answered ${operation}`, { operation });
}

/** A queue with one reader, who waits for what has not arrived yet. */
function createArrivals<T>(): Arrivals<T> {
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
