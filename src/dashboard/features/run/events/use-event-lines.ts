import { useEffect, useRef, useState } from 'react';
import type { RunState } from '../../../../core/run/state.ts';
import { type AmountFormat, type Fact, factsOf } from '../../../../core/view/facts.ts';
import type { StreamItem } from '../../../../operations/contracts.ts';
import { type ConnectionState, useStream } from '../../../api/stream.ts';
import { duration, money } from '../../../ui/text/amounts.tsx';
import { eventOf } from '../use-run.ts';

/** A line of a run's history: one fact of one event. */
export type EventLineData = Fact & { id: string; at: number; kind: string };

/** Checks often take less than a second. */
const AMOUNT_FORMAT: AmountFormat = {
  duration: (ms) => (ms < 10_000 ? `${(ms / 1_000).toFixed(1)}s` : duration(ms)),
  money,
};

/** All that happened in a run, from its first event on, as lines; they are only added to, and `count` tells how many there are. */
export function useEventLines(state: RunState): {
  lines: readonly EventLineData[];
  count: number;
  connectionState: ConnectionState;
} {
  const run = state.start.run;
  const lines = useRef<EventLineData[]>([]);
  const last = useRef(0);
  const isDue = useRef(false);
  const [count, setCount] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another run has another history
  useEffect(() => {
    lines.current = [];
    last.current = 0;
    setCount(0);
  }, [run]);
  const connectionState = useStream('watch-run', {
    key: run,
    input: () => ({ run, after: last.current }),
    onItem: (item) => {
      if (item.version <= last.current) return;
      last.current = item.version;
      lines.current.push(...linesOf(state, item));
      if (isDue.current) return;
      isDue.current = true;
      requestAnimationFrame(() => {
        isDue.current = false;
        setCount(lines.current.length);
      });
    },
  });
  return { lines: lines.current, count, connectionState };
}

/** The kinds of events by which a history can be filtered: the word before the dot. */
export const KINDS = ['run', 'task', 'attempt', 'gate', 'call'] as const;

function linesOf(state: RunState, item: StreamItem<'watch-run'>): EventLineData[] {
  const kind = item.type.split('.')[0]?.replace(/s$/, '') ?? '';
  return factsOf(state, { event: eventOf(item), at: item.at }, AMOUNT_FORMAT).map((fact, index) => ({
    ...fact,
    id: `${item.version}.${index}`,
    at: item.at,
    kind,
  }));
}
