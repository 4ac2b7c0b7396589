import type { Socket } from 'node:net';
import type { Origin } from '../../schema/actor.ts';
import {
  createLineSplitter,
  decodeLine,
  encodeError,
  encodeLine,
  Hello,
  LONGEST_LINE_BYTES,
  PROTOCOL,
  Question,
  WINDOW_BYTES,
} from './protocol.ts';

interface SendWindow {
  /** Resolves when there is room again, or when the signal aborts. */
  room(signal: AbortSignal): Promise<void>;
  sent(bytes: number): void;
  taken(bytes: number): void;
}

/** Answers a request with a value or with a stream of them; must end soon after the signal aborts: the client went away. */
export type Handle = (
  request: { operation: string; input: unknown },
  call: { signal: AbortSignal; origin: Origin },
) => Promise<unknown> | AsyncIterable<unknown>;

export interface Connection {
  /** Aborts what is being answered, waits for it to end, and sends the rest. */
  end(): Promise<void>;
  destroy(): void;
}

type Asked = { id: number; operation: string; input?: unknown; origin?: Origin | undefined };

/** Programs of earlier versions do not say who calls; only the owner of the data directory can open the socket. */
const OWNER: Origin = { actor: { kind: 'person', name: 'owner' }, via: 'cli' };

type Answering = { controller: AbortController; window: SendWindow; ended: Promise<void> };

/** A reader that lets this much pile up is cut off; it can come back, and nobody else notices. */
const SLOW_READER_BYTES = 32 * 1024 * 1024;

/** Serves one client: many requests at once, each answered when it is ready. */
export function serveConnection(socket: Socket, handle: Handle): Connection {
  const answering = new Map<number, Answering>();
  let isGreeted = false;

  const split = createLineSplitter(LONGEST_LINE_BYTES, (line) => {
    if (socket.destroyed) return;
    if (!isGreeted) greet(line);
    else hear(decodeLine(Question, line));
  });

  function greet(line: Buffer): void {
    isGreeted = decodeLine(Hello, line)?.manyhands === PROTOCOL;
    if (!isGreeted) socket.end();
  }

  function hear(question: Question | undefined): void {
    switch (question?.type) {
      case 'ask':
        ask(question);
        break;
      case 'cancel':
        answering.get(question.id)?.controller.abort();
        break;
      case 'took':
        answering.get(question.id)?.window.taken(question.bytes);
        break;
      case undefined:
        socket.destroy();
    }
  }

  function ask(question: Asked): void {
    const { id } = question;
    if (answering.has(id)) {
      socket.destroy();
      return;
    }
    const controller = new AbortController();
    const window = createSendWindow(WINDOW_BYTES);
    const ended = answer(question, controller.signal, window);
    answering.set(id, { controller, window, ended });
    void ended.then(() => answering.delete(id));
  }

  async function answer(question: Asked, signal: AbortSignal, window: SendWindow): Promise<void> {
    const { id, operation, input, origin = OWNER } = question;
    try {
      const given: unknown = await handle({ operation, input }, { signal, origin });
      const lines = isAsyncIterable(given) ? itemLines(id, given) : [encodeLine({ type: 'result', id, value: given })];
      for await (const line of lines) {
        await window.room(signal);
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
    if (socket.writableLength > SLOW_READER_BYTES) socket.destroy();
    else socket.write(line);
  }

  function abortAll(): void {
    for (const { controller } of answering.values()) controller.abort();
  }

  socket.on('data', (chunk) => {
    if (!split(chunk)) socket.destroy();
  });
  socket.on('error', () => {
    // Safe: a client that went away; `close` follows and ends what was being answered.
  });
  socket.on('close', abortAll);
  send(encodeLine({ manyhands: PROTOCOL }));

  return {
    end: async () => {
      abortAll();
      await Promise.all([...answering.values()].map(({ ended }) => ended));
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

/** Paces one stream by its reader: what was sent and not taken stays below the size, plus one item. */
function createSendWindow(sizeBytes: number): SendWindow {
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
