import type { ReactElement } from 'react';
import { Link } from 'wouter';
import type { RunState, TaskState } from '../../../../core/run/state.ts';
import { IS_GUEST } from '../../../api/role.ts';
import { useAction } from '../../../api/use-operation.ts';
import { taskPath } from '../../../ui/browser/page-paths.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { stateColor, taskDisplayState } from '../../../ui/state/display-state.ts';
import { StateMark } from '../../../ui/state/state-mark.tsx';
import { Icon } from '../../../ui/text/icon.tsx';
import { marksOf, type Segment, segmentsOf } from './task-segments.ts';
import { shareOf, type TimeRange } from './time-range.ts';
import styles from './timeline.module.css';
import type { Mark, TimelineHistory } from './timeline-history.ts';
import type { TimelineRow } from './timeline-rows.ts';

type TaskLaneProps = {
  state: RunState;
  task: TaskState;
  history: TimelineHistory;
  range: TimeRange;
  end: number;
  /** Whether the panel below shows its details. */
  isSelected: boolean;
  onHover(isHovered: boolean): void;
};

/** The row of a task: its title and its segments as bars. */
export function TaskLane({ state, task, history, range, end, isSelected, onHover }: TaskLaneProps): ReactElement {
  const { key, title } = task.spec;
  const isStale = state.invalidated.includes(key);
  return (
    <Link
      href={taskPath(state.start.run, key)}
      className={styles.lane}
      data-selected={isSelected}
      onMouseEnter={() => onHover(true)}
      onMouseLeave={() => onHover(false)}
      onFocus={() => onHover(true)}
      onBlur={() => onHover(false)}
    >
      <span className={styles.label} title={`${key}: ${title}`}>
        <StateMark displayState={taskDisplayState(task.phase.status, isStale)} bare />
        <span className={styles.title}>{title}</span>
      </span>
      <span className={styles.bars}>
        {segmentsOf(state, task, history).map((segment) => (
          <Bar key={`${segment.kind} ${segment.from}`} segment={segment} range={range} end={end} />
        ))}
        {marksOf(task, history).map((mark) => (
          <MarkPoint key={`${mark.shape} ${mark.at} ${mark.description}`} mark={mark} range={range} />
        ))}
      </span>
    </Link>
  );
}

function Bar({ segment, range, end }: { segment: Segment; range: TimeRange; end: number }): ReactElement | null {
  const left = Math.max(shareOf(segment.from, range), 0);
  const right = Math.min(shareOf(segment.to ?? end, range), 1);
  if (right < 0 || left > 1) return null;
  return (
    <span
      className={styles.bar}
      data-kind={segment.kind}
      data-open={segment.to === null}
      style={{
        left: `${left * 100}%`,
        width: `${Math.max(right - left, 0) * 100}%`,
        color: stateColor(segment.displayState),
      }}
    >
      {segment.attempt !== null && segment.attempt.number > 1 ? <i>{segment.attempt.number}</i> : null}
    </span>
  );
}

function MarkPoint({ mark, range }: { mark: Mark; range: TimeRange }): ReactElement | null {
  const share = shareOf(mark.at, range);
  if (share < 0 || share > 1) return null;
  return (
    <span
      className={styles.mark}
      data-shape={mark.shape}
      title={mark.description}
      style={{ left: `${share * 100}%`, color: stateColor(mark.displayState) }}
    />
  );
}

type TrackHeadProps = { state: RunState; row: Extract<TimelineRow, { kind: 'track' }>; onToggle(): void };

/** The header of a track: progress, and buttons to collapse, pause and resume it. */
export function TrackHead({ state, row: { track, tasks, done, isCollapsed }, onToggle }: TrackHeadProps): ReactElement {
  const run = state.start.run;
  const pause = useAction('pause-run');
  const resume = useAction('resume-runs');
  const reason = state.paused[track];
  const isEnded = state.status.kind === 'ended' || done === tasks;
  return (
    <div className={styles.track}>
      <button type="button" className={styles.fold} aria-expanded={!isCollapsed} onClick={onToggle}>
        <Icon name="chevron" size={12} />
        <strong>{track === '' ? 'No track' : track}</strong>
      </button>
      <span className="quiet numbers">
        {done} / {tasks}
      </span>
      {reason === undefined ? null : <span className={styles.paused}>Paused: {reason}</span>}
      {isEnded || track === '' || IS_GUEST ? null : reason === undefined ? (
        <Button weight="quiet" busy={pause.isBusy} onClick={() => pause.act({ run, track })}>
          <Icon name="pause" size={12} /> Pause<span className="visually-hidden"> track {track}</span>
        </Button>
      ) : (
        <Button weight="quiet" busy={resume.isBusy} onClick={() => resume.act({ run, track })}>
          <Icon name="play" size={12} /> Resume<span className="visually-hidden"> track {track}</span>
        </Button>
      )}
    </div>
  );
}
