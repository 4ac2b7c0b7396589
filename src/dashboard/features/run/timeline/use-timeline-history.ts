import { useRef, useState } from 'react';
import type { RunState } from '../../../../core/run/state.ts';
import type { StreamItem } from '../../../../operations/contracts.ts';
import type { RunEvent } from '../../../../schema/event.ts';
import { useStream } from '../../../api/stream.ts';
import { type Moments, noMoments, noteMoment } from './timeline-history.ts';

/** Beyond so many tasks a history is too long to be read for its moments alone. */
const MOST_TASKS = 1_500;

/** The moments of a run from its whole history, live; `count` tells that there are more. Of a very large run there are none. */
export function useMoments(state: RunState): { moments: Moments; count: number } {
  const run = state.start.run;
  const held = useRef({ run, last: 0, moments: noMoments() });
  if (held.current.run !== run) held.current = { run, last: 0, moments: noMoments() };
  const isDue = useRef(false);
  const [count, setCount] = useState(0);
  useStream('watch-run', {
    key: run,
    enabled: state.order.length <= MOST_TASKS,
    input: () => ({ run, after: held.current.last }),
    onItem: (item) => {
      if (item.version <= held.current.last) return;
      held.current.last = item.version;
      noteMoment(held.current.moments, eventOf(item), item.at);
      if (isDue.current) return;
      isDue.current = true;
      requestAnimationFrame(() => {
        isDue.current = false;
        setCount(held.current.last);
      });
    },
  });
  return { moments: held.current.moments, count };
}

/** The page and the server are of one build: the event is one that this page knows. */
function eventOf(item: StreamItem<'watch-run'>): RunEvent;
function eventOf({ type, data }: StreamItem<'watch-run'>): unknown {
  return { type, data };
}
