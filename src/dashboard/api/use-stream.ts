import { useEffect, useRef, useState } from 'react';
import type { StreamInput, StreamItem, StreamName } from '../../schema/operation.ts';
import { openStream, type StreamStanding } from './stream.ts';
import { useVisible } from './visible.ts';

/** Follows a stream while the page is looked at; a change of `key` begins anew. `input` is asked for whenever it connects. */
export function useStream<N extends StreamName>(
  name: N,
  options: { key: string; input(): StreamInput<N>; onItem(item: StreamItem<N>): void; enabled?: boolean },
): StreamStanding {
  const [standing, setStanding] = useState<StreamStanding>('connecting');
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
