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
  /** Whether the followed subject has ended, and not only the source of the items. */
  isComplete(): boolean;
  /** Whether the client is still logged in. */
  isAllowed(): Promise<boolean>;
};

/** An event this long after the last item shows both ends that the connection is open. */
const HEARTBEAT_MS = 20_000;
/** A client that has not received a chunk in this time is disconnected; it can resume after the last item it received. */
const STUCK_MS = 30_000;
/** An error within this time is reported by the status of the answer. */
const FIRST_MS = 100;

const BEAT = 'event: beat\ndata: {}\n\n';

const HEADERS = {
  ...COMMON_HEADERS,
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/** Sends chunks as they arrive; the next one is read only after the last was sent, so that a slow client costs one chunk of memory. */
export async function sendEventStream(options: EventStreamOptions): Promise<void> {
  const { outgoing, items, world, closing, isComplete } = options;
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  if (outgoing.destroyed) gone.abort();
  const over = AbortSignal.any([gone.signal, closing]);
  const close = () => items.close();
  over.addEventListener('abort', close, { once: true });
  if (over.aborted) close();
  const heartbeat = startHeartbeat(options);
  try {
    const first = items.next();
    if (await failsAtOnce(first, world)) await first;
    begin(outgoing);
    for (let chunk = await first; chunk !== undefined && !over.aborted; chunk = await items.next()) {
      heartbeat.reset();
      if (!outgoing.write(chunk)) await drained(outgoing, world, over);
    }
    endStream(outgoing, closing.aborted || !isComplete() ? 'closing' : 'end', {});
  } catch (error) {
    if (outgoing.headersSent) endStream(outgoing, 'problem', problemOf(error));
    else sendProblem(outgoing, error);
  } finally {
    heartbeat.stop();
    close();
    over.removeEventListener('abort', close);
  }
}

/** Whether the first item fails early enough to be reported by the status. */
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

function endStream(outgoing: ServerResponse, event: string, data: unknown): void {
  if (outgoing.destroyed) return;
  if (!outgoing.headersSent) begin(outgoing);
  outgoing.once('finish', () => outgoing.socket?.destroySoon());
  outgoing.end(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** Waits until the client has received what was sent, and disconnects it if it does not. */
async function drained(outgoing: ServerResponse, world: World, over: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const disconnect = () => {
    outgoing.destroy();
    resolve();
  };
  const cancel = world.alarm(world.now() + STUCK_MS, disconnect);
  outgoing.once('drain', resolve);
  over.addEventListener('abort', disconnect, { once: true });
  if (over.aborted) disconnect();
  await promise;
  cancel();
  outgoing.off('drain', resolve);
  over.removeEventListener('abort', disconnect);
}

/** Sends heartbeats while the connection is open, and disconnects a client whose login has ended. */
function startHeartbeat({ outgoing, world, isAllowed }: EventStreamOptions): { reset(): void; stop(): void } {
  let last = world.now();
  let cancel: () => void = () => {};
  const wait = () => {
    cancel = world.alarm(last + HEARTBEAT_MS, () => {
      if (world.now() - last >= HEARTBEAT_MS) {
        last = world.now();
        if (outgoing.headersSent && !outgoing.writableNeedDrain) outgoing.write(BEAT);
      }
      wait();
      isAllowed().then(
        (allowed) => void (allowed || outgoing.destroy()),
        () => outgoing.destroy(),
      );
    });
  };
  wait();
  return {
    reset: () => {
      last = world.now();
    },
    stop: () => cancel(),
  };
}
