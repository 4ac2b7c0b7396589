import { type ReactElement, useMemo, useRef, useState } from 'react';
import type { RunState } from '../../../../core/run/state.ts';
import { useRunOverview } from '../../../api/run-overview.ts';
import { useNow } from '../../../ui/browser/clock.ts';
import { Empty } from '../../../ui/feedback/placeholders.tsx';
import { VirtualList } from '../../../ui/layout/virtual-list.tsx';
import { Axis, Legend } from './time-axis.tsx';
import { type Span, shareOf } from './time-range.ts';
import styles from './timeline.module.css';
import { AtWork, Details } from './timeline-details.tsx';
import { TaskLane, TrackHead } from './timeline-row.tsx';
import { mostUrgent, timelineRows } from './timeline-rows.ts';
import { useSpan } from './use-time-range.ts';
import { useMoments } from './use-timeline-history.ts';

const ROW_PX = 28;
const DETAILS_PX = 130;

/** The run along its time: one row a task, its attempts, waits, checks and landing. */
export function Timeline({ state, version }: { state: RunState; version: number }): ReactElement {
  const isOver = state.status.kind === 'ended';
  const time = useNow(isOver ? 3_600_000 : 1_000);
  const end = state.status.kind === 'ended' ? state.status.at : Math.max(time, state.updatedAt);
  const whole: Span = { from: state.startedAt, to: Math.max(end, state.startedAt + 1_000) };
  const box = useRef<HTMLDivElement>(null);
  const view = useSpan(whole, box);
  const { moments } = useMoments(state);
  const overview = useRunOverview(state.start.run);
  const [folded, fold] = useFolded();
  const [looked, setLooked] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is changed in place, the version tells
  const rows = useMemo(() => timelineRows(state, folded), [state, version, folded]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is changed in place, the version tells
  const urgent = useMemo(() => mostUrgent(state), [state, version]);
  const task = state.tasks[looked ?? urgent ?? ''];
  if (rows.length === 0) return <Empty title="No tasks yet">The run is being prepared; its tasks appear here.</Empty>;
  return (
    <div className={styles.timeline} ref={box}>
      <Legend view={view} />
      <VirtualList
        label="Timeline"
        count={rows.length}
        rowHeight={ROW_PX}
        below={DETAILS_PX}
        keyOf={(index) => keyOf(rows[index])}
        head={
          <Axis
            span={view.span}
            start={state.startedAt}
            now={isOver ? null : shareOf(end, view.span)}
            stands={moments.stands}
            end={end}
          />
        }
      >
        {(index) => {
          const row = rows[index];
          if (row === undefined) return null;
          if (row.kind === 'track') return <TrackHead state={state} row={row} onFold={() => fold(row.track)} />;
          const of = state.tasks[row.key];
          if (of === undefined) return null;
          return (
            <TaskLane
              state={state}
              task={of}
              moments={moments}
              span={view.span}
              end={end}
              onLook={(isLooked) => setLooked(isLooked ? row.key : null)}
            />
          );
        }}
      </VirtualList>
      {looked === null && overview !== undefined && overview.live.length > 0 ? (
        <AtWork run={state.start.run} live={overview.live} all={overview.liveCount} />
      ) : (
        <Details state={state} task={task} moments={moments} end={end} live={overview?.live ?? []} />
      )}
    </div>
  );
}

/** The tracks of which only the head is shown. */
function useFolded(): [ReadonlySet<string>, (track: string) => void] {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const fold = (track: string) =>
    setFolded((before) => {
      const next = new Set(before);
      if (!next.delete(track)) next.add(track);
      return next;
    });
  return [folded, fold];
}

function keyOf(row: ReturnType<typeof timelineRows>[number] | undefined): string {
  return row === undefined ? '' : row.kind === 'task' ? row.key : `track ${row.track}`;
}
