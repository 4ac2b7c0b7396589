import { type ReactElement, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { RunState } from '../../../../core/run/state.ts';
import { useRunOverview } from '../../../api/run-overview.ts';
import { useStream } from '../../../api/stream.ts';
import { runPath } from '../../../ui/browser/page-paths.ts';
import { useNow } from '../../../ui/browser/use-now.ts';
import { EmptyState } from '../../../ui/feedback/placeholders.tsx';
import { useRowHeight, VirtualList } from '../../../ui/layout/virtual-list.tsx';
import { eventOf } from '../use-run.ts';
import { Axis, Legend } from './time-axis.tsx';
import { shareOf, type TimeRange } from './time-range.ts';
import styles from './timeline.module.css';
import { Details, LiveAgents } from './timeline-details.tsx';
import { emptyHistory, recordEvent, type TimelineHistory } from './timeline-history.ts';
import { TaskLane, TrackHead } from './timeline-row.tsx';
import { mostUrgent, timelineRows } from './timeline-rows.ts';
import { useTimeRange } from './use-time-range.ts';

/** For larger runs the history is too long to load for the timeline. */
const MAX_TASKS = 1_500;

const ROW_PX = 28;
const DETAILS_PX = 162;

/** The timeline of a run: one row per task with its attempts, waits, checks and landing. */
export function Timeline({ state, version }: { state: RunState; version: number }): ReactElement {
  const isEnded = state.status.kind === 'ended';
  const time = useNow(isEnded ? 3_600_000 : 1_000);
  const end = state.status.kind === 'ended' ? state.status.at : Math.max(time, state.updatedAt);
  const whole: TimeRange = { from: state.startedAt, to: Math.max(end, state.startedAt + 1_000) };
  const box = useRef<HTMLDivElement>(null);
  const view = useTimeRange(whole, box);
  const hasHistory = state.order.length <= MAX_TASKS;
  const history = useTimelineHistory(state, hasHistory);
  const overview = useRunOverview(state.start.run);
  const [collapsed, toggleCollapsed] = useCollapsed();
  const rowHeight = useRowHeight(ROW_PX);
  const [hovered, setHovered] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is mutated in place and changes with its version
  const rows = useMemo(() => timelineRows(state, collapsed), [state, version, collapsed]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is mutated in place and changes with its version
  const urgent = useMemo(() => mostUrgent(state), [state, version]);
  const hasAgents = hovered === null && overview !== undefined && overview.live.length > 0;
  const task = state.tasks[hovered ?? urgent ?? ''];
  if (rows.length === 0)
    return <EmptyState title="No tasks yet">The run is being prepared. Its tasks appear here.</EmptyState>;
  return (
    <div className={styles.timeline} ref={box}>
      <Legend view={view} hasHistory={hasHistory} />
      {hasHistory ? null : (
        <p className={styles.note}>
          This run is too large for the marks of checks and of your answers and for the periods in which the run waited;
          its{' '}
          <Link href={`${runPath(state.start.run)}?view=events`} className="link">
            events
          </Link>{' '}
          have them.
        </p>
      )}
      <VirtualList
        label="Timeline"
        count={rows.length}
        rowHeight={rowHeight}
        below={DETAILS_PX}
        keyOf={(index) => keyOf(rows[index])}
        head={
          <Axis
            range={view.range}
            start={state.startedAt}
            now={isEnded ? null : shareOf(end, view.range)}
            idlePeriods={history.idlePeriods}
            end={end}
          />
        }
      >
        {(index) => {
          const row = rows[index];
          if (row === undefined) return null;
          if (row.kind === 'track')
            return <TrackHead state={state} row={row} onToggle={() => toggleCollapsed(row.track)} />;
          const of = state.tasks[row.key];
          if (of === undefined) return null;
          return (
            <TaskLane
              state={state}
              task={of}
              history={history}
              range={view.range}
              end={end}
              isSelected={!hasAgents && row.key === task?.spec.key}
              onHover={(isHovered) => setHovered(isHovered ? row.key : null)}
            />
          );
        }}
      </VirtualList>
      {hasAgents ? (
        <LiveAgents run={state.start.run} live={overview.live} all={overview.liveCount} />
      ) : (
        <Details state={state} task={task} history={history} end={end} live={overview?.live ?? []} />
      )}
    </div>
  );
}

/** The collapsed tracks. */
function useCollapsed(): [ReadonlySet<string>, (track: string) => void] {
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const toggleCollapsed = (track: string) =>
    setCollapsed((before) => {
      const next = new Set(before);
      if (!next.delete(track)) next.add(track);
      return next;
    });
  return [collapsed, toggleCollapsed];
}

function keyOf(row: ReturnType<typeof timelineRows>[number] | undefined): string {
  return row === undefined ? '' : row.kind === 'task' ? row.key : `track ${row.track}`;
}

/** The history of a run, live; empty unless enabled. */
function useTimelineHistory({ start: { run } }: RunState, enabled: boolean): TimelineHistory {
  const held = useRef({ run, last: 0, history: emptyHistory() });
  if (held.current.run !== run) held.current = { run, last: 0, history: emptyHistory() };
  const isDue = useRef(false);
  const [, setCount] = useState(0);
  useStream('watch-run', {
    key: run,
    enabled,
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
  return held.current.history;
}
