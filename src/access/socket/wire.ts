import { createConnection } from 'node:net';
import { AppError, errorCode, fromSystemError } from '../../errors.ts';
import type { Origin } from '../../schema/actor.ts';
import {
  Answer,
  createLineSplitter,
  decodeLine,
  encodeLine,
  Hello,
  LONGEST_LINE_BYTES,
  PROTOCOL,
  type Question,
} from './protocol.ts';

/** Who waits for the answers to one question, until it is forgotten or lost. */
type Waiting = { hear(answer: Answer, bytes: number): void; lose(): void };

/** A client's end of the socket: numbers the questions and hands each answer to who waits for it. */
export interface Wire {
  /** True once the engine greeted us, false when there is none; rejects with ENGINE_VERSION when it speaks another protocol. */
  greeted: Promise<boolean>;
  closed: Promise<void>;
  /** Sends a question and gives its number; undefined when the connection is over. */
  ask(question: { operation: string; input: unknown; origin?: Origin }, waiting: Waiting): number | undefined;
  took(id: number, bytes: number): void;
  /** Stops waiting; where answers were still to come, tells the engine. */
  forget(id: number): void;
  destroy(reason?: Error): void;
}

/** What the system says when nobody listens, or stopped while we came. */
const NOBODY: readonly string[] = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'];

/** Opens the socket and greets. */
export function openWire(path: string): Wire {
  const socket = createConnection(path);
  const waitings = new Map<number, Waiting>();
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

  function hear(line: Buffer): void {
    const answer = decodeLine(Answer, line);
    if (answer === undefined) {
      socket.destroy();
      return;
    }
    const waiting = waitings.get(answer.id);
    if (answer.type !== 'item') waitings.delete(answer.id);
    waiting?.hear(answer, line.length + 1);
  }

  function say(line: Buffer): void {
    if (!socket.destroyed) socket.write(line);
  }

  const split = createLineSplitter(LONGEST_LINE_BYTES, (line) => (isGreeted ? hear(line) : greet(line)));
  socket.on('data', (chunk) => {
    if (!split(chunk)) socket.destroy();
  });
  socket.on('error', (error) => {
    if (!NOBODY.includes(errorCode(error) ?? '')) greeted.reject(fromSystemError(error, `connecting to ${path}`));
  });
  socket.on('close', () => {
    greeted.resolve(false);
    for (const waiting of waitings.values()) waiting.lose();
    waitings.clear();
    closed.resolve();
  });
  say(encodeLine({ manyhands: PROTOCOL }));

  return {
    greeted: greeted.promise,
    closed: closed.promise,
    ask: (question, waiting) => {
      if (socket.destroyed) return undefined;
      const id = ++lastId;
      say(encodeLine({ type: 'ask', id, ...question }));
      waitings.set(id, waiting);
      return id;
    },
    took: (id, bytes) => say(encodeLine({ type: 'took', id, bytes } satisfies Question)),
    forget: (id) => {
      if (waitings.delete(id)) say(encodeLine({ type: 'cancel', id } satisfies Question));
    },
    destroy: end,
  };
}

function otherVersion(theirs: number | undefined): AppError {
  const message = `The engine speaks protocol ${theirs ?? 'unknown'}, this program speaks ${PROTOCOL}`;
  return new AppError('ENGINE_VERSION', message, { engine: theirs, program: PROTOCOL });
}
