import { after, now } from '../ui/browser/clock.ts';

/** `live`: items arrive as they happen; `lost`: reconnecting; `ended`: there are no more items. */
export type ConnectionState = 'connecting' | 'live' | 'lost' | 'ended';

export type EventsListener = {
  /** The address, asked for at each connection. */
  url(): string;
  /** An item, and its id if it has one. */
  onItem(data: string, id: string): void;
  onConnectionState(connectionState: ConnectionState): void;
  /** Events with a name of their own. */
  named?: Readonly<Record<string, (data: string) => void>>;
};

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;
/** The server sends a heartbeat every 20 s; after this silence the connection is considered lost. */
const SILENCE_MS = 45_000;

/** Follows server-sent events until the server ends them or they are closed; reconnects after growing pauses. */
export function followEvents(listener: EventsListener): () => void {
  let source: EventSource | undefined;
  let pause = FIRST_PAUSE_MS;
  let cancelTimer = () => {};
  let receivedAt = 0;
  let isOver = false;

  const close = () => {
    isOver = true;
    cancelTimer();
    source?.close();
  };
  const markReceived = () => {
    receivedAt = now();
  };
  const reconnect = () => {
    cancelTimer();
    source?.close();
    if (isOver) return;
    listener.onConnectionState('lost');
    cancelTimer = after(pause, connect);
    pause = Math.min(pause * 2, MAX_PAUSE_MS);
  };
  const watchSilence = (ms: number) => {
    cancelTimer = after(ms, () => {
      const left = receivedAt + SILENCE_MS - now();
      if (left > 0) watchSilence(Math.min(left, SILENCE_MS));
      else reconnect();
    });
  };
  const connect = () => {
    source = new EventSource(listener.url());
    markReceived();
    watchSilence(SILENCE_MS);
    source.onopen = () => {
      markReceived();
      pause = FIRST_PAUSE_MS;
      listener.onConnectionState('live');
    };
    source.onmessage = ({ data, lastEventId }: MessageEvent<string>) => {
      markReceived();
      listener.onItem(data, lastEventId);
    };
    for (const [name, receive] of Object.entries(listener.named ?? {}))
      source.addEventListener(name, ({ data }: MessageEvent<string>) => {
        markReceived();
        receive(data);
      });
    source.addEventListener('end', () => {
      close();
      listener.onConnectionState('ended');
    });
    source.addEventListener('beat', markReceived);
    source.onerror = reconnect;
  };
  listener.onConnectionState('connecting');
  connect();
  return close;
}
