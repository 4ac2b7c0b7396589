import { after, now } from '../ui/browser/clock.ts';
import { followEvents } from './follow-events.ts';
import type { FromWorker, ToWorker } from './worker-streams.ts';

/** A stream of one window. */
type Followed = { port: MessagePort; id: number; target: string; last: string };

/** Streams that are opened within this time, as those of one page are, share one reconnection. */
const GATHER_MS = 20;
/** The longest query of the joint connection, below the server's limit for an address. */
const MAX_QUERY_CHARS = 7_000;
/** A page that is left usually opens other streams, which reconnects earlier. */
const DROP_MS = 2_000;
/** A stream that failed is opened again with the others after this time. */
const RETRY_MS = 5_000;

const followed = new Set<Followed>();
let connections: (() => void)[] = [];
let due: { at: number; cancel(): void } | undefined;

/** All windows of a browser follow their streams through this worker, with one connection. */
// The library of a window has no type for the scope of a shared worker.
(globalThis as unknown as { onconnect(event: MessageEvent): void }).onconnect = ({ ports: [port] }) => {
  if (port === undefined) return;
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => receive(port, data);
};

function receive(port: MessagePort, message: ToWorker): void {
  if (message.type === 'page') void closeWithPage(port, message.lock);
  else if (message.type === 'close') drop((stream) => stream.port === port && stream.id === message.id);
  else {
    followed.add({ port, id: message.id, target: message.target, last: '' });
    reconnectSoon(GATHER_MS);
  }
}

async function closeWithPage(port: MessagePort, lock: string): Promise<void> {
  await navigator.locks.request(lock, () => drop((stream) => stream.port === port));
}

/** What still arrives for a dropped stream is discarded, until the next connection, which is made without it. */
function drop(isDropped: (stream: Followed) => boolean): void {
  for (const stream of followed) if (isDropped(stream)) followed.delete(stream);
  reconnectSoon(followed.size === 0 ? GATHER_MS : DROP_MS);
}

/** Reconnects after this time, or earlier if that is already due. */
function reconnectSoon(ms: number): void {
  const at = now() + ms;
  if (due !== undefined && due.at <= at) return;
  due?.cancel();
  const reconnect = () => {
    due = undefined;
    for (const close of connections) close();
    connections = groups().map(connect);
  };
  due = { at, cancel: after(ms, reconnect) };
}

/** As few connections as the length of an address allows; more than one are needed beyond some sixty streams. */
function groups(): Followed[][] {
  const all: Followed[][] = [];
  let length = 0;
  for (const stream of followed) {
    const size = encodeURIComponent(addressOf(stream)).length + '&stream='.length + 20;
    const group = all.at(-1);
    if (group === undefined || length + size > MAX_QUERY_CHARS) {
      all.push([stream]);
      length = size;
    } else {
      group.push(stream);
      length += size;
    }
  }
  return all;
}

/** Each connection continues every stream after the last item that its window received. */
function connect(group: readonly Followed[]): () => void {
  let current: Followed | undefined;
  let requested: readonly Followed[] = group;
  const each = (act: (stream: Followed) => void) => {
    for (const stream of group) if (followed.has(stream)) act(stream);
  };
  return followEvents({
    url: () => {
      requested = group.filter((stream) => followed.has(stream));
      return `/api/streams?${new URLSearchParams(requested.map((stream) => ['stream', addressOf(stream)]))}`;
    },
    onItem: (data, id) => {
      if (current === undefined || !followed.has(current)) return;
      if (id !== '') current.last = id;
      send(current, { type: 'item', id: current.id, data });
    },
    onConnectionState: (connectionState) =>
      each((stream) => send(stream, { type: 'connection', id: stream.id, connectionState })),
    named: {
      stream: (data) => {
        current = requested[Number(data)];
      },
      ended: (data) => {
        const { stream: index, isComplete }: { stream: number; isComplete: boolean } = JSON.parse(data);
        const stream = requested[index];
        if (stream === undefined || !followed.has(stream)) return;
        send(stream, { type: 'connection', id: stream.id, connectionState: isComplete ? 'ended' : 'lost' });
        if (isComplete) followed.delete(stream);
        else reconnectSoon(RETRY_MS);
      },
    },
  });
}

function addressOf({ target, last }: Followed): string {
  if (last === '') return target;
  const [path = '', query = ''] = target.split('?', 2);
  const values = new URLSearchParams(query);
  values.set('after', last);
  return `${path}?${values}`;
}

function send({ port }: Followed, message: FromWorker): void {
  port.postMessage(message);
}
