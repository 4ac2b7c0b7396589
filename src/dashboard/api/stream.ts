import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { StreamInput, StreamItem, StreamName } from '../../operations/all.ts';
import { after, now } from '../ui/browser/clock.ts';
import { requestFor } from './call.ts';

/** `live`: items arrive as they happen; `lost`: reconnecting; `ended`: there are no more items. */
export type ConnectionState = 'connecting' | 'live' | 'lost' | 'ended';

type StreamListener<N extends StreamName> = {
  onItem(item: StreamItem<N>): void;
  onConnectionState?(connectionState: ConnectionState): void;
};

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;
/** The server sends a heartbeat every 20 s; after this silence the connection is considered lost. */
const SILENCE_MS = 45_000;

/** Follows a stream until it ends or is closed; after a reconnect it continues after the last received item. */
export function openStream<N extends StreamName>(
  name: N,
  input: StreamInput<N>,
  listener: StreamListener<N>,
): () => void {
  let source: EventSource | undefined;
  let last: string | undefined;
  let pause = FIRST_PAUSE_MS;
  let cancelTimer = () => {};
  let receivedAt = 0;
  let isOver = false;

  const report = (connectionState: ConnectionState) => listener.onConnectionState?.(connectionState);
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
    report('lost');
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
    const { url } = requestFor(name, last === undefined ? input : { ...input, after: last });
    source = new EventSource(url);
    markReceived();
    watchSilence(SILENCE_MS);
    source.onopen = () => {
      markReceived();
      pause = FIRST_PAUSE_MS;
      report('live');
    };
    source.onmessage = ({ data, lastEventId }: MessageEvent<string>) => {
      markReceived();
      if (lastEventId !== '') last = lastEventId;
      listener.onItem(JSON.parse(data));
    };
    source.addEventListener('end', () => {
      close();
      report('ended');
    });
    source.addEventListener('beat', markReceived);
    source.onerror = reconnect;
  };
  report('connecting');
  connect();
  return close;
}

/** Follows a stream while the page is visible; a new `key` reopens it. `input` is called on each connection. */
export function useStream<N extends StreamName>(
  name: N,
  options: { key: string; input(): StreamInput<N>; onItem(item: StreamItem<N>): void; enabled?: boolean },
): ConnectionState {
  const [connectionState, setConnectionState] = useState<ConnectionState>('connecting');
  const isVisible = useVisible();
  const current = useRef(options);
  current.current = options;
  const isOn = options.enabled !== false && isVisible;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new key opens another stream
  useEffect(() => {
    if (!isOn) return;
    return openStream(name, current.current.input(), {
      onItem: (item) => current.current.onItem(item),
      onConnectionState: setConnectionState,
    });
  }, [name, options.key, isOn]);
  return connectionState;
}

/** Whether the page is visible; a hidden page keeps no stream of its own open. */
function useVisible(): boolean {
  return useSyncExternalStore(onVisibilityChange, () => document.visibilityState === 'visible');
}

function onVisibilityChange(changed: () => void): () => void {
  document.addEventListener('visibilitychange', changed);
  return () => document.removeEventListener('visibilitychange', changed);
}
