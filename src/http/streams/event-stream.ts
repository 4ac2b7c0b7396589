import type { ServerResponse } from 'node:http';
import type { World } from '../../world.ts';
import { problemOf, sendProblem } from '../api/problem.ts';
import { COMMON_HEADERS } from '../headers.ts';
import type { Subscription } from './feeds.ts';

export type EventStreamOptions = {
  outgoing: ServerResponse;
  items: Subscription;
  world: World;
  /** Aborts when the server closes. */
  closing: AbortSignal;
  /** Whether the end of the items is the end of what is followed, and not that of who tells of it. */
  isComplete(): boolean;
  /** Whether who listens is still logged in. */
  mayStay(): Promise<boolean>;
};

/** A word this long after the last item shows both ends that the connection lives. */
const HEARTBEAT_MS = 20_000;
/** Who has not taken a chunk in this time is cut; it comes back and goes on behind the last item it saw. */
const STUCK_MS = 30_000;
/** So long an early failure is waited for, that it may be told as one. */
const FIRST_MS = 100;

const BEAT = 'event: beat\ndata: {}\n\n';

const HEADERS = {
  ...COMMON_HEADERS,
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/** Sends chunks as they come; the next is asked for only when the last was taken, so that a slow reader costs one chunk. */
export async function sendEventStream(options: EventStreamOptions): Promise<void> {
  const { outgoing, items, world, closing, isComplete } = options;
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  if (outgoing.destroyed) gone.abort();
  const over = AbortSignal.any([gone.signal, closing]);
  const close = () => items.close();
  over.addEventListener('abort', close, { once: true });
  if (over.aborted) close();
  const heart = beat(options);
  try {
    const first = items.next();
    if (await failsAtOnce(first, world)) await first;
    begin(outgoing);
    for (let chunk = await first; chunk !== undefined && !over.aborted; chunk = await items.next()) {
      heart.felt();
      if (!outgoing.write(chunk)) await drained(outgoing, world, over);
    }
    farewell(outgoing, closing.aborted || !isComplete() ? 'closing' : 'end', {});
  } catch (error) {
    if (outgoing.headersSent) farewell(outgoing, 'problem', problemOf(error));
    else sendProblem(outgoing, error);
  } finally {
    heart.stop();
    close();
    over.removeEventListener('abort', close);
  }
}

/** A failure that comes at once is told by the status of the answer. */
async function failsAtOnce(first: Promise<unknown>, world: World): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const cancel = world.alarm(world.now() + FIRST_MS, () => resolve(false));
  first.then(
    () => resolve(false),
    () => resolve(true),
  );
  return promise.finally(cancel);
}

function begin(outgoing: ServerResponse): void {
  outgoing.writeHead(200, HEADERS);
  outgoing.socket?.setNoDelay(true);
  outgoing.write('retry: 1000\n\n');
}

function farewell(outgoing: ServerResponse, event: string, data: unknown): void {
  if (outgoing.destroyed) return;
  if (!outgoing.headersSent) begin(outgoing);
  outgoing.once('finish', () => outgoing.socket?.destroySoon());
  outgoing.end(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** Waits until the client has taken what was sent; cuts it when it does not. */
async function drained(outgoing: ServerResponse, world: World, over: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cut = () => {
    outgoing.destroy();
    resolve();
  };
  const cancel = world.alarm(world.now() + STUCK_MS, cut);
  outgoing.once('drain', resolve);
  over.addEventListener('abort', cut, { once: true });
  if (over.aborted) cut();
  await promise;
  cancel();
  outgoing.off('drain', resolve);
  over.removeEventListener('abort', cut);
}

/** A timer of the connection: where nobody listens nothing ticks. Whose login has ended meanwhile is cut off. */
function beat({ outgoing, world, mayStay }: EventStreamOptions): { felt(): void; stop(): void } {
  let last = world.now();
  let cancel: () => void = () => {};
  const wait = () => {
    cancel = world.alarm(last + HEARTBEAT_MS, () => {
      if (world.now() - last >= HEARTBEAT_MS) {
        last = world.now();
        if (outgoing.headersSent && !outgoing.writableNeedDrain) outgoing.write(BEAT);
      }
      wait();
      void mayStay().then((may) => {
        if (!may) outgoing.destroy();
      });
    });
  };
  wait();
  return {
    felt: () => {
      last = world.now();
    },
    stop: () => cancel(),
  };
}
