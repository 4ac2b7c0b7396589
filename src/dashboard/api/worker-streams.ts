import { workerAddress } from '../ui/browser/worker-address.ts';
import type { ConnectionState } from './follow-events.ts';

/** What a page sends to the worker; `target` is the path and query of a stream, `id` is the page's own number for it. */
export type ToWorker =
  | { type: 'open'; id: number; target: string }
  | { type: 'close'; id: number }
  /** The page holds this lock while it exists. */
  | { type: 'page'; lock: string };

/** What the worker sends to a page. */
export type FromWorker =
  | { type: 'item'; id: number; data: string }
  | { type: 'connection'; id: number; connectionState: ConnectionState };

type WorkerStream = {
  onItem(data: string): void;
  onConnectionState(connectionState: ConnectionState): void;
};

const open = new Map<number, WorkerStream>();
let port: MessagePort | undefined;
let count = 0;

/**
 * Follows a stream through the worker that all windows of a browser share: a browser allows six connections per server,
 * and the worker needs one. Undefined where the browser has no shared workers.
 */
export function followInWorker(target: string, stream: WorkerStream): (() => void) | undefined {
  port ??= connect();
  if (port === undefined) return undefined;
  const worker = port;
  const send = (message: ToWorker) => worker.postMessage(message);
  count += 1;
  const id = count;
  open.set(id, stream);
  send({ type: 'open', id, target });
  return () => {
    if (open.delete(id)) send({ type: 'close', id });
  };
}

function connect(): MessagePort | undefined {
  const address = document.querySelector<HTMLMetaElement>('meta[name="stream-worker"]')?.content;
  if (typeof SharedWorker === 'undefined' || address === undefined) return undefined;
  const made = new SharedWorker(workerAddress(address), { name: 'manyhands-streams' }).port;
  made.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    const stream = open.get(data.id);
    if (data.type === 'item') stream?.onItem(data.data);
    else stream?.onConnectionState(data.connectionState);
  };
  const send = (message: ToWorker) => made.postMessage(message);
  const closeAll = () => {
    for (const id of open.keys()) send({ type: 'close', id });
  };
  window.addEventListener('pagehide', closeAll);
  // A window that crashes says nothing: the worker gets its lock then.
  const lock = `manyhands-page-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`;
  void navigator.locks?.request(lock, () => {
    send({ type: 'page', lock });
    return new Promise<void>(() => {});
  });
  return made;
}
