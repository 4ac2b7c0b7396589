import { useRef, useState } from 'react';
import type { RunState } from '../../../../core/run/state.ts';
import { useStream } from '../../../api/stream.ts';
import { eventOf } from '../use-run.ts';
import { emptyHistory, recordEvent, type TimelineHistory } from './timeline-history.ts';

/** For larger runs the history is too long to load for the timeline. */
const MAX_TASKS = 1_500;

/** The history of a run, live; `count` changes with it. It is empty for very large runs. */
export function useTimelineHistory(state: RunState): { history: TimelineHistory; count: number } {
  const run = state.start.run;
  const held = useRef({ run, last: 0, history: emptyHistory() });
  if (held.current.run !== run) held.current = { run, last: 0, history: emptyHistory() };
  const isDue = useRef(false);
  const [count, setCount] = useState(0);
  useStream('watch-run', {
    key: run,
    enabled: state.order.length <= MAX_TASKS,
    input: () => ({ run, after: held.current.last }),
    onItem: (item) => {
      if (item.version <= held.current.last) return;
      held.current.last = item.version;
      recordEvent(held.current.history, eventOf(item), item.at);
      if (isDue.current) return;
      isDue.current = true;
      requestAnimationFrame(() => {
        isDue.current = false;
        setCount(held.current.last);
      });
    },
  });
  return { history: held.current.history, count };
}
