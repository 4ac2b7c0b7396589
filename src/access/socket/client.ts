import { existsSync } from 'node:fs';
import { AppError } from '../../errors.ts';
import type { Origin } from '../../schema/actor.ts';
import { reviveError, type ServerMessage, WINDOW_BYTES } from './protocol.ts';
import { requireOwnFolder } from './socket-path.ts';
import { openWire, type Wire } from './wire.ts';

interface Arrivals<T> {
  push(value: T): void;
  /** Items that have arrived are still returned, then every `next` rejects with the reason. */
  close(reason: Error): void;
  next(): Promise<T>;
}

/** A connection to the engine for concurrent requests; when the engine dies, all of them reject with ENGINE_GONE. */
export interface SocketClient extends AsyncDisposable {
  /** One response; an abort cancels the request and rejects with the signal's reason. */
  call(operation: string, input: unknown, call?: SocketCall): Promise<unknown>;
  /** A stream of responses; the request is sent when iteration begins and cancelled when the loop is left. */
  stream(operation: string, input: unknown, call?: SocketCall): AsyncIterable<unknown>;
  /** Resolves when the connection is closed by either side. */
  readonly closed: Promise<void>;
}

type Request = { operation: string; input: unknown; origin?: Origin };

/** The abort signal and the caller of a request. */
type SocketCall = { signal?: AbortSignal; origin?: Origin };

type Arrival = { response: ServerMessage; bytes: number };

/** Connects to the engine; undefined if no process listens, for example on a stale socket file. */
export async function connectSocket(path: string, signal?: AbortSignal): Promise<SocketClient | undefined> {
  signal?.throwIfAborted();
  await requireOwnFolder(path);
  // Without a socket nothing needs to be loaded to know that nobody listens.
  if (!existsSync(path)) return undefined;
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
  const { promise, resolve, reject } = Promise.withResolvers<ServerMessage>();
  const id = wire.send(request, { onResponse: resolve, onLost: () => reject(gone(request)) });
  if (id === undefined) throw gone(request);
  const onAbort = () => reject(abortReason(signal));
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return resultOf(await promise, request);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    wire.cancel(id);
  }
}

function resultOf(response: ServerMessage, { operation }: Request): unknown {
  switch (response.type) {
    case 'result':
      return response.value;
    case 'error':
      throw reviveError(response.error);
    case 'item':
    case 'end':
      throw new AppError('INTERNAL', `The operation ${operation} returns a stream`, { operation });
  }
}

async function* stream(wire: Wire, request: Request, signal?: AbortSignal): AsyncGenerator<unknown> {
  signal?.throwIfAborted();
  const arrivals = createArrivals<Arrival>();
  const onResponse = (response: ServerMessage, bytes: number) => arrivals.push({ response, bytes });
  const id = wire.send(request, { onResponse, onLost: () => arrivals.close(gone(request)) });
  if (id === undefined) throw gone(request);
  const onAbort = () => arrivals.close(abortReason(signal));
  signal?.addEventListener('abort', onAbort, { once: true });
  let readBytes = 0;
  try {
    for (;;) {
      const { response, bytes } = await arrivals.next();
      signal?.throwIfAborted();
      if (response.type === 'end') return;
      yield response.type === 'item' ? response.value : resultOf(response, request);
      if (response.type === 'result') return;
      readBytes += bytes;
      if (readBytes < WINDOW_BYTES / 4) continue;
      wire.acknowledge(id, readBytes);
      readBytes = 0;
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    wire.cancel(id);
  }
}

function abortReason(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('Aborted', { cause: reason });
}

function gone({ operation }: Request): AppError {
  return new AppError('ENGINE_GONE', `The engine ended before it answered ${operation}`, { operation });
}

/** A queue with one reader, which waits for the next item. */
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
