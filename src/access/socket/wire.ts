import { createConnection } from 'node:net';
import { AppError, errorCode, fromSystemError } from '../../errors.ts';
import type { Origin } from '../../schema/actor.ts';
import {
  type ClientMessage,
  createLineSplitter,
  decodeLine,
  encodeLine,
  Hello,
  LONGEST_LINE_BYTES,
  ServerMessage,
} from './protocol.ts';
import { PROTOCOL } from './protocol-version.ts';

/** Receives the responses to one request, until it is cancelled or the connection is lost. */
type Receiver = { onResponse(response: ServerMessage, bytes: number): void; onLost(): void };

/** The client side of the socket: numbers requests and passes each response to its receiver. */
export interface Wire {
  /** True once the engine has sent its first line, false if no engine listens; rejects with ENGINE_VERSION if its protocol version differs. */
  greeted: Promise<boolean>;
  closed: Promise<void>;
  /** Sends a request and returns its id; undefined if the connection is closed. */
  send(request: { operation: string; input: unknown; origin?: Origin }, receiver: Receiver): number | undefined;
  acknowledge(id: number, bytes: number): void;
  /** Removes the receiver; cancels the request if it is not complete. */
  cancel(id: number): void;
  destroy(reason?: Error): void;
}

/** System errors of a connection to a socket on which no process listens (any more). */
const NO_LISTENER: readonly string[] = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'];

/** Opens the socket and sends the first line. */
export function openWire(path: string): Wire {
  const socket = createConnection(path);
  const receivers = new Map<number, Receiver>();
  const greeted = Promise.withResolvers<boolean>();
  const closed = Promise.withResolvers<void>();
  let isGreeted = false;
  let lastId = 0;

  function greet(line: Buffer): void {
    const theirs = decodeLine(Hello, line)?.manyhands;
    isGreeted = theirs === PROTOCOL;
    if (isGreeted) greeted.resolve(true);
    else end(otherVersion(theirs));
  }

  function end(reason?: Error): void {
    if (reason !== undefined) greeted.reject(reason);
    socket.destroy();
  }

  function receive(line: Buffer): void {
    const response = decodeLine(ServerMessage, line);
    if (response === undefined) {
      socket.destroy();
      return;
    }
    const receiver = receivers.get(response.id);
    if (response.type !== 'item') receivers.delete(response.id);
    receiver?.onResponse(response, line.length + 1);
  }

  function write(line: Buffer): void {
    if (!socket.destroyed) socket.write(line);
  }

  const split = createLineSplitter(LONGEST_LINE_BYTES, (line) => (isGreeted ? receive(line) : greet(line)));
  socket.on('data', (chunk) => {
    if (!split(chunk)) socket.destroy();
  });
  socket.on('error', (error) => {
    if (!NO_LISTENER.includes(errorCode(error) ?? '')) greeted.reject(fromSystemError(error, `connecting to ${path}`));
  });
  socket.on('close', () => {
    greeted.resolve(false);
    for (const receiver of receivers.values()) receiver.onLost();
    receivers.clear();
    closed.resolve();
  });
  write(encodeLine({ manyhands: PROTOCOL }));

  return {
    greeted: greeted.promise,
    closed: closed.promise,
    send: (request, receiver) => {
      if (socket.destroyed) return undefined;
      const id = ++lastId;
      write(encodeLine({ type: 'ask', id, ...request }));
      receivers.set(id, receiver);
      return id;
    },
    acknowledge: (id, bytes) => write(encodeLine({ type: 'took', id, bytes } satisfies ClientMessage)),
    cancel: (id) => {
      if (receivers.delete(id)) write(encodeLine({ type: 'cancel', id } satisfies ClientMessage));
    },
    destroy: end,
  };
}

function otherVersion(theirs: number | undefined): AppError {
  const message = `The engine uses protocol version ${theirs ?? 'unknown'}, this program uses version ${PROTOCOL}`;
  return new AppError('ENGINE_VERSION', message, { engine: theirs, program: PROTOCOL });
}
