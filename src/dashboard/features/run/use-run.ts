import { useCallback, useEffect, useRef, useState } from 'react';
import { evolve } from '../../../core/run/evolve.ts';
import type { RunState } from '../../../core/run/state.ts';
import type { StreamItem } from '../../../operations/all.ts';
import type { RunEvent } from '../../../schema/event.ts';
import { ServerUnreachableError } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import type { ConnectionState } from '../../api/follow-events.ts';
import { onReconnect } from '../../api/run-overview.ts';
import { useStream } from '../../api/stream.ts';

/** A run's state; it is mutated in place, and `version` changes with it. */
export type LiveRun = {
  state: RunState | undefined;
  version: number;
  /** Whether it works in rounds and has a progress. */
  inRounds: boolean;
  error: unknown;
  connectionState: ConnectionState;
  reload(): void;
};

/** Loads a run's state, then folds its events with the engine's code. */
export function useRun(run: string): LiveRun {
  const current = useRef<RunState | undefined>(undefined);
  const [version, setVersion] = useState(0);
  const [error, setError] = useState<unknown>();
  const [inRounds, setInRounds] = useState(false);
  const [requestCount, setRequestCount] = useState(0);
  const isDue = useRef(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `requestCount` repeats the request
  useEffect(() => {
    const controller = new AbortController();
    current.current = undefined;
    setVersion(0);
    setError(undefined);
    call('run-state', { run }, controller.signal)
      .then(({ state, ...answer }) => {
        setInRounds(answer.inRounds);
        // The server folds it with the same code.
        current.current = state as RunState;
        setVersion(current.current.version);
      })
      .catch((thrown: unknown) => {
        if (!controller.signal.aborted) setError(thrown);
      });
    return () => controller.abort();
  }, [run, requestCount]);

  const reload = useCallback(() => setRequestCount((times) => times + 1), []);
  useEffect(() => (error instanceof ServerUnreachableError ? onReconnect(reload) : undefined), [error, reload]);
  const onItem = (item: StreamItem<'watch-run'>) => {
    const state = current.current;
    if (state === undefined || item.version <= state.version) return;
    current.current = evolve(state, { event: eventOf(item), at: item.at });
    if (isDue.current) return;
    isDue.current = true;
    requestAnimationFrame(() => {
      isDue.current = false;
      setVersion(current.current?.version ?? 0);
    });
  };
  const connectionState = useStream('watch-run', {
    key: `${run} ${requestCount} ${version > 0}`,
    enabled: version > 0,
    input: () => ({ run, after: current.current?.version ?? 0 }),
    onItem,
  });
  return { state: version === 0 ? undefined : current.current, version, inRounds, error, connectionState, reload };
}

/** The event of a stream item. Page and server come from one build, so it is an event that this page knows. */
export function eventOf({ type, data }: StreamItem<'watch-run'>): RunEvent {
  return { type, data } as RunEvent;
}
