import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { StreamInput, StreamItem, StreamName } from '../../operations/contracts.ts';
import { type ConnectionState, openStream } from './stream.ts';

/** Follows a stream while the page is looked at; a change of `key` begins anew. `input` is asked for whenever it connects. */
export function useStream<N extends StreamName>(
  name: N,
  options: { key: string; input(): StreamInput<N>; onItem(item: StreamItem<N>): void; enabled?: boolean },
): ConnectionState {
  const [standing, setStanding] = useState<ConnectionState>('connecting');
  const isVisible = useVisible();
  const current = useRef(options);
  current.current = options;
  const isOn = options.enabled !== false && isVisible;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new key is another stream
  useEffect(() => {
    if (!isOn) return;
    return openStream(name, current.current.input(), {
      onItem: (item) => current.current.onItem(item),
      onStanding: setStanding,
    });
  }, [name, options.key, isOn]);
  return standing;
}

/** Whether the page is looked at; a hidden one holds no connection of its own. */
function useVisible(): boolean {
  return useSyncExternalStore(listen, () => document.visibilityState === 'visible');
}

function listen(changed: () => void): () => void {
  document.addEventListener('visibilitychange', changed);
  return () => document.removeEventListener('visibilitychange', changed);
}
