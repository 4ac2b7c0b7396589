import type { Socket } from 'node:net';
import { type Peer, peerOf } from '../../process/socket-peer.ts';
import type { Origin } from '../../schema/actor.ts';
import {
  ClientMessage,
  createLineSplitter,
  decodeLine,
  encodeError,
  encodeLine,
  Hello,
  LONGEST_LINE_BYTES,
  WINDOW_BYTES,
} from './protocol.ts';
import { PROTOCOL } from './protocol-version.ts';

interface SendWindow {
  /** Resolves when more may be sent, or when the signal aborts. */
  ready(signal: AbortSignal): Promise<void>;
  sent(bytes: number): void;
  acknowledged(bytes: number): void;
}

/** Answers a request with a value or a stream of values; must end soon after the signal aborts because the client disconnected. */
export type Handle = (
  request: { operation: string; input: unknown },
  call: {
    signal: AbortSignal;
    /** What the client claims to be. */
    origin: Origin;
    /** Identifies the process that connected; costs the start of a program, once for each connection. */
    peer(): Promise<Peer>;
  },
) => Promise<unknown> | AsyncIterable<unknown>;

export interface Connection {
  /** Aborts the requests in flight, waits for them to end, and flushes the socket. */
  end(): Promise<void>;
  destroy(): void;
}

type OperationRequest = { id: number; operation: string; input?: unknown; origin?: Origin | undefined };

/** The origin of calls from programs of earlier versions, which send none; only the owner of the data directory can open the socket. */
const OWNER: Origin = { actor: { kind: 'person', name: 'owner' }, via: 'cli' };

type InFlight = { controller: AbortController; window: SendWindow; ended: Promise<void> };

/** What one client may cost. */
export type ConnectionLimits = {
  /** A client that sends a longer line is disconnected; `onOversize` is called before. */
  maxLineBytes?: number;
  onOversize?: () => void;
  /** A client with more unread output is disconnected; it can reconnect, and other clients are not affected. */
  maxUnreadBytes?: number;
};

const MOST_UNREAD_BYTES = 32 * 1024 * 1024;

/** Serves one client: requests run concurrently, and responses are sent as they become ready. */
export function serveConnection(
  socket: Socket,
  handle: Handle,
  { maxLineBytes = LONGEST_LINE_BYTES, onOversize, maxUnreadBytes = MOST_UNREAD_BYTES }: ConnectionLimits = {},
): Connection {
  const inFlight = new Map<number, InFlight>();
  let isGreeted = false;
  let identified: Promise<Peer> | undefined;

  function peer(): Promise<Peer> {
    identified ??= peerOf(socket);
    return identified;
  }

  const split = createLineSplitter(maxLineBytes, (line) => {
    if (socket.destroyed) return;
    if (!isGreeted) greet(line);
    else receive(decodeLine(ClientMessage, line));
  });

  function greet(line: Buffer): void {
    isGreeted = decodeLine(Hello, line)?.manyhands === PROTOCOL;
    if (!isGreeted) socket.end();
  }

  function receive(request: ClientMessage | undefined): void {
    switch (request?.type) {
      case 'ask':
        start(request);
        break;
      case 'cancel':
        inFlight.get(request.id)?.controller.abort();
        break;
      case 'took':
        inFlight.get(request.id)?.window.acknowledged(request.bytes);
        break;
      case undefined:
        socket.destroy();
    }
  }

  function start(request: OperationRequest): void {
    const { id } = request;
    if (inFlight.has(id)) {
      socket.destroy();
      return;
    }
    const controller = new AbortController();
    const window = createSendWindow(WINDOW_BYTES);
    const ended = respond(request, controller.signal, window);
    inFlight.set(id, { controller, window, ended });
    void ended.then(() => inFlight.delete(id));
  }

  async function respond(request: OperationRequest, signal: AbortSignal, window: SendWindow): Promise<void> {
    const { id, operation, input, origin = OWNER } = request;
    try {
      const result: unknown = await handle({ operation, input }, { signal, origin, peer });
      const lines = isAsyncIterable(result)
        ? itemLines(id, result)
        : [encodeLine({ type: 'result', id, value: result })];
      for await (const line of lines) {
        await window.ready(signal);
        if (signal.aborted) return;
        send(line);
        window.sent(line.length);
      }
    } catch (error) {
      if (!signal.aborted) send(encodeError(id, error));
    }
  }

  function send(line: Buffer): void {
    if (socket.destroyed || socket.writableEnded) return;
    if (socket.writableLength > maxUnreadBytes) socket.destroy();
    else socket.write(line);
  }

  function abortAll(): void {
    for (const { controller } of inFlight.values()) controller.abort();
  }

  socket.on('data', (chunk) => {
    if (socket.destroyed || split(chunk)) return;
    onOversize?.();
    socket.destroy();
  });
  socket.on('error', () => {
    // Safe: the client disconnected; `close` follows and aborts the requests in flight.
  });
  socket.on('close', abortAll);
  send(encodeLine({ manyhands: PROTOCOL }));

  return {
    end: async () => {
      abortAll();
      await Promise.all([...inFlight.values()].map(({ ended }) => ended));
      socket.end();
    },
    destroy: () => socket.destroy(),
  };
}

async function* itemLines(id: number, items: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  for await (const value of items) yield encodeLine({ type: 'item', id, value });
  yield encodeLine({ type: 'end', id });
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Flow control of one stream: the unacknowledged bytes stay below the size, plus one item. */
function createSendWindow(sizeBytes: number): SendWindow {
  let outstanding = 0;
  let wake = () => {};
  return {
    ready: async (signal) => {
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
    acknowledged: (bytes) => {
      outstanding -= bytes;
      if (outstanding < sizeBytes) wake();
    },
  };
}
