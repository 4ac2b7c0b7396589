import { useCallback, useEffect, useRef, useState } from 'react';
import { evolve, type Recorded } from '../../../core/run/evolve.ts';
import type { RunState } from '../../../core/run/state.ts';
import type { StreamItem } from '../../../operations/contracts.ts';
import { Unreachable } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { onReconnect } from '../../api/run-overview.ts';
import { type ConnectionState, useStream } from '../../api/stream.ts';

/** A run as the page folds it: the state is changed in place, and `version` tells that it was. */
export type LiveRun = {
  state: RunState | undefined;
  version: number;
  error: unknown;
  standing: ConnectionState;
  again(): void;
};

/** A run's state from a snapshot, then folded from its events exactly as the engine folds them. */
export function useRun(run: string): LiveRun {
  const held = useRef<RunState | undefined>(undefined);
  const [version, setVersion] = useState(0);
  const [error, setError] = useState<unknown>();
  const [asked, setAsked] = useState(0);
  const isDue = useRef(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` asks again
  useEffect(() => {
    const asking = new AbortController();
    held.current = undefined;
    setVersion(0);
    setError(undefined);
    call('run-state', { run }, asking.signal)
      .then(({ state }) => {
        held.current = folded(state);
        setVersion(held.current.version);
      })
      .catch((thrown: unknown) => {
        if (!asking.signal.aborted) setError(thrown);
      });
    return () => asking.abort();
  }, [run, asked]);

  const again = useCallback(() => setAsked((times) => times + 1), []);
  useEffect(() => (error instanceof Unreachable ? onReconnect(again) : undefined), [error, again]);
  const onItem = (item: StreamItem<'watch-run'>) => {
    const state = held.current;
    if (state === undefined || item.version <= state.version) return;
    held.current = evolve(state, recorded(item));
    if (isDue.current) return;
    isDue.current = true;
    requestAnimationFrame(() => {
      isDue.current = false;
      setVersion(held.current?.version ?? 0);
    });
  };
  const standing = useStream('watch-run', {
    key: `${run} ${asked} ${version > 0}`,
    enabled: version > 0,
    input: () => ({ run, after: held.current?.version ?? 0 }),
    onItem,
  });
  return { state: version === 0 ? undefined : held.current, version, error, standing, again };
}

/** The server folded it with the same code. */
function folded(state: unknown): RunState;
function folded(state: unknown): unknown {
  return state;
}

function recorded(item: StreamItem<'watch-run'>): Recorded;
function recorded({ type, data, at, origin }: StreamItem<'watch-run'>): unknown {
  return { event: { type, data }, at, origin };
}
