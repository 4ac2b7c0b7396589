import { useEffect, useRef, useState } from 'react';
import type { RunState } from '../../../../core/run/state.ts';
import { moneyText } from '../../../../core/view/amounts.ts';
import { type AmountFormat, type Fact, factsOf } from '../../../../core/view/facts.ts';
import type { StreamItem } from '../../../../operations/all.ts';
import type { ConnectionState } from '../../../api/follow-events.ts';
import { useStream } from '../../../api/stream.ts';
import { duration } from '../../../ui/text/amounts.tsx';
import { eventOf } from '../use-run.ts';

/** One fact of one event. */
export type EventLineData = Fact & { id: string; at: number; kind: string };

/** Short durations get a decimal, because gates often take less than a second. */
const AMOUNT_FORMAT: AmountFormat = {
  duration: (ms) => (ms < 10_000 ? `${(ms / 1_000).toFixed(1)}s` : duration(ms)),
  money: moneyText,
};

/** All events of a run as lines; lines are only appended, and `count` is their number. */
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new run has a new history
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

/** The kinds of events to filter by: the event type before the dot. */
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
