import type { StreamItem } from '../../operations/all.ts';
import type { RunOverview } from '../../schema/overview.ts';
import type { ConnectionState } from './follow-events.ts';
import { openStream } from './stream.ts';

type RunsItem = StreamItem<'watch-runs'>;

/** All runs up to a position of the stream. */
export type RunsSnapshot = {
  runs: RunOverview[];
  position: number;
  isReady: boolean;
  connectionState: ConnectionState;
};

type RunsListener = {
  onItem(item: RunsItem): void;
  onConnectionState(connectionState: ConnectionState): void;
  /** Replaces everything known; sent to a new tab, and to all tabs when another takes over the stream. */
  onSnapshot(snapshot: RunsSnapshot): void;
  /** What this tab knows. */
  snapshot(): RunsSnapshot;
};

type TabMessage =
  | { type: 'hello' }
  | { type: 'item'; item: RunsItem }
  | { type: 'connection'; connectionState: ConnectionState }
  | { type: 'snapshot'; snapshot: RunsSnapshot };

const NAME = 'manyhands.run-stream';

/**
 * Follows all runs with one connection for all tabs of a browser, which allows only six per server. The tab that
 * holds the lock holds the stream and forwards it; when that tab closes, the next continues after the last position.
 */
export function followRuns(listener: RunsListener): void {
  if (navigator.locks === undefined) {
    openStream('watch-runs', {}, listener);
    return;
  }
  const channel = new BroadcastChannel(NAME);
  const broadcast = (message: TabMessage) => channel.postMessage(message);
  let isHolder = false;
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (isHolder) {
      if (data.type === 'hello') broadcast({ type: 'snapshot', snapshot: listener.snapshot() });
    } else deliver(data, listener);
  };
  broadcast({ type: 'hello' });
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) broadcast({ type: 'hello' });
  });
  const holdStream = () => {
    isHolder = true;
    followAsHolder(listener, broadcast);
    return new Promise<void>(() => {});
  };
  void navigator.locks.request(NAME, holdStream);
}

function deliver(message: TabMessage, listener: RunsListener): void {
  if (message.type === 'item') listener.onItem(message.item);
  else if (message.type === 'connection') listener.onConnectionState(message.connectionState);
  else if (message.type === 'snapshot') listener.onSnapshot(message.snapshot);
}

/** The other tabs get a snapshot once the stream has caught up, which contains anything they missed. */
function followAsHolder(listener: RunsListener, broadcast: (message: TabMessage) => void): void {
  const { position, isReady } = listener.snapshot();
  openStream('watch-runs', isReady ? { after: position } : {}, {
    onItem: (item) => {
      listener.onItem(item);
      if ('ready' in item) broadcast({ type: 'snapshot', snapshot: listener.snapshot() });
      else broadcast({ type: 'item', item });
    },
    onConnectionState: (connectionState) => {
      listener.onConnectionState(connectionState);
      broadcast({ type: 'connection', connectionState });
    },
  });
}
