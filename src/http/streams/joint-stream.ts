import { AppError } from '../../errors.ts';
import type { OperationRoute } from '../api/operation-routes.ts';
import type { Subscription } from './feeds.ts';

/** A stream of a joint request: its route, and the parameters of its path and query. */
type RequestedStream = {
  route: OperationRoute & { kind: 'stream' };
  params: Record<string, string>;
  query: URLSearchParams;
};

/** A stream that is being read; `isComplete` says whether its end is the end of what it follows. */
export type OpenStream = { items: Subscription; isComplete(): boolean };

/** The most streams of one connection; a browser of twelve windows has about thirty. */
const MAX_STREAMS = 100;

/** Finds the streams that the addresses of a joint request name, such as `/api/runs/k3v9x2ab/events?after=12`. */
export function requestedStreams(targets: readonly string[], routes: readonly OperationRoute[]): RequestedStream[] {
  if (targets.length === 0 || targets.length > MAX_STREAMS)
    throw new AppError('REQUEST_INVALID', `Name 1 to ${MAX_STREAMS} streams, not ${targets.length}`);
  return targets.map((target) => findStream(target, routes));
}

function findStream(target: string, routes: readonly OperationRoute[]): RequestedStream {
  const [path = '', query = ''] = target.split('?', 2);
  for (const route of routes) {
    const params = paramsOf(route, path);
    if (params === undefined) continue;
    if (route.kind === 'stream') return { route, params, query: new URLSearchParams(query) };
    if (route.method === 'GET') break;
  }
  throw new AppError('REQUEST_INVALID', `${target} is not the address of a stream`);
}

function paramsOf(route: OperationRoute, path: string): Record<string, string> | undefined {
  const expected = route.path.split('/');
  const given = path.split('/');
  if (expected.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of expected.entries()) {
    const value = given[index] ?? '';
    const key = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (key === undefined && segment !== value) return undefined;
    if (key !== undefined) params[key] = decode(value);
  }
  return params;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AppError('REQUEST_INVALID', `${text} is not percent-encoded UTF-8`);
  }
}

/**
 * Several streams as one. An event `stream` before each chunk says, by its position in the request, which stream the items
 * after it belong to; an event `ended` says that a stream has ended. A stream is read again only after its chunk was sent.
 */
export function joinStreams(streams: readonly OpenStream[]): OpenStream {
  const ready: Buffer[] = [];
  const idle = new Set(streams.keys());
  let reading = 0;
  let wake: (() => void) | undefined;
  let isClosed = false;
  const put = (chunk: Buffer) => {
    ready.push(chunk);
    wake?.();
  };
  const end = (index: number, isComplete: boolean) =>
    put(Buffer.from(`event: ended\nid:\ndata: ${JSON.stringify({ stream: index, isComplete })}\n\n`));
  const read = (index: number, { items, isComplete }: OpenStream) => {
    reading += 1;
    items
      .next()
      .then(
        (chunk) => {
          if (chunk === undefined) return end(index, isComplete());
          idle.add(index);
          return put(Buffer.concat([Buffer.from(`event: stream\nid:\ndata: ${index}\n\n`), chunk]));
        },
        () => end(index, false),
      )
      .finally(() => {
        reading -= 1;
        wake?.();
      });
  };
  const next = async () => {
    for (const index of idle) {
      idle.delete(index);
      const stream = streams[index];
      if (stream !== undefined) read(index, stream);
    }
    while (!isClosed) {
      const chunk = ready.shift();
      if (chunk !== undefined) return chunk;
      if (reading === 0) return undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      await promise;
    }
    return undefined;
  };
  const close = () => {
    isClosed = true;
    for (const { items } of streams) items.close();
    wake?.();
  };
  return { items: { next, close }, isComplete: () => streams.every((stream) => stream.isComplete()) };
}
