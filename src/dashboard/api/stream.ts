import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { StreamInput, StreamItem, StreamName } from '../../operations/all.ts';
import { requestFor } from './call.ts';
import { type ConnectionState, followEvents } from './follow-events.ts';
import { followInWorker } from './worker-streams.ts';

type StreamListener<N extends StreamName> = {
  onItem(item: StreamItem<N>): void;
  onConnectionState?(connectionState: ConnectionState): void;
};

/** Follows a stream with a connection of its own; after a reconnect it continues after the last received item. */
export function openStream<N extends StreamName>(
  name: N,
  input: StreamInput<N>,
  listener: StreamListener<N>,
): () => void {
  let last: string | undefined;
  return followEvents({
    url: () => requestFor(name, last === undefined ? input : { ...input, after: last }).url,
    onItem: (data, id) => {
      if (id !== '') last = id;
      listener.onItem(JSON.parse(data));
    },
    onConnectionState: (connectionState) => listener.onConnectionState?.(connectionState),
  });
}

/** Follows a stream through the connection that all windows share, or with its own where that is not possible. */
function openSharedStream<N extends StreamName>(
  name: N,
  input: StreamInput<N>,
  listener: Required<StreamListener<N>>,
): () => void {
  const shared = followInWorker(requestFor(name, input).url, {
    onItem: (data) => listener.onItem(JSON.parse(data)),
    onConnectionState: listener.onConnectionState,
  });
  return shared ?? openStream(name, input, listener);
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
    return openSharedStream(name, current.current.input(), {
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
