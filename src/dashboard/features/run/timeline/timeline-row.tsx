import type { ReactElement } from 'react';
import { Link } from 'wouter';
import type { RunState, TaskState } from '../../../../core/run/state.ts';
import { useAction } from '../../../api/use-operation.ts';
import { taskPath } from '../../../ui/browser/page-paths.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { colorOf, lookOfTask } from '../../../ui/state/display-state.ts';
import { StateMark } from '../../../ui/state/state-mark.tsx';
import { Icon } from '../../../ui/text/icon.tsx';
import { marksOf, type Segment, segmentsOf } from './task-segments.ts';
import { type Span, shareOf } from './time-range.ts';
import styles from './timeline.module.css';
import type { Mark, Moments } from './timeline-history.ts';
import type { TimelineRow } from './timeline-rows.ts';

type TaskLaneProps = {
  state: RunState;
  task: TaskState;
  moments: Moments;
  span: Span;
  end: number;
  onLook(isLooked: boolean): void;
};

/** A task's row: its name, and its time as bars. */
export function TaskLane({ state, task, moments, span, end, onLook }: TaskLaneProps): ReactElement {
  const { key, title } = task.spec;
  const isStale = state.invalidated.includes(key);
  return (
    <Link
      href={taskPath(state.start.run, key)}
      className={styles.lane}
      onMouseEnter={() => onLook(true)}
      onMouseLeave={() => onLook(false)}
      onFocus={() => onLook(true)}
      onBlur={() => onLook(false)}
    >
      <span className={styles.label} title={`${key}: ${title}`}>
        <StateMark look={lookOfTask(task.phase.status, isStale)} bare />
        <span className={styles.title}>{title}</span>
      </span>
      <span className={styles.bars}>
        {segmentsOf(state, task, moments).map((segment) => (
          <Bar key={`${segment.kind} ${segment.from}`} segment={segment} span={span} end={end} />
        ))}
        {marksOf(task, moments).map((mark) => (
          <MarkPoint key={`${mark.shape} ${mark.at} ${mark.words}`} mark={mark} span={span} />
        ))}
      </span>
    </Link>
  );
}

function Bar({ segment, span, end }: { segment: Segment; span: Span; end: number }): ReactElement | null {
  const left = Math.max(shareOf(segment.from, span), 0);
  const right = Math.min(shareOf(segment.to ?? end, span), 1);
  if (right < 0 || left > 1) return null;
  return (
    <span
      className={styles.bar}
      data-kind={segment.kind}
      data-open={segment.to === null}
      style={{ left: `${left * 100}%`, width: `${Math.max(right - left, 0) * 100}%`, color: colorOf(segment.look) }}
    >
      {segment.attempt !== null && segment.attempt.number > 1 ? <i>{segment.attempt.number}</i> : null}
    </span>
  );
}

function MarkPoint({ mark, span }: { mark: Mark; span: Span }): ReactElement | null {
  const share = shareOf(mark.at, span);
  if (share < 0 || share > 1) return null;
  return (
    <span
      className={styles.mark}
      data-shape={mark.shape}
      title={mark.words}
      style={{ left: `${share * 100}%`, color: colorOf(mark.look) }}
    />
  );
}

type TrackHeadProps = { state: RunState; row: Extract<TimelineRow, { kind: 'track' }>; onFold(): void };

/** The head of a lane: a track, how far it is, and the way to pause it or let it go on. */
export function TrackHead({ state, row: { track, tasks, done, isFolded }, onFold }: TrackHeadProps): ReactElement {
  const run = state.start.run;
  const pause = useAction('pause-run');
  const resume = useAction('resume-runs');
  const reason = state.paused[track];
  const isOver = state.status.kind === 'ended' || done === tasks;
  return (
    <div className={styles.track}>
      <button type="button" className={styles.fold} aria-expanded={!isFolded} onClick={onFold}>
        <Icon name="chevron" size={12} />
        <strong>{track === '' ? 'No track' : track}</strong>
      </button>
      <span className="quiet numbers">
        {done} / {tasks}
      </span>
      {reason === undefined ? null : <span className={styles.paused}>Paused: {reason}</span>}
      {isOver || track === '' ? null : reason === undefined ? (
        <Button weight="quiet" busy={pause.isBusy} onClick={() => pause.act({ run, track })}>
          <Icon name="pause" size={12} /> Pause<span className="hidden-words"> track {track}</span>
        </Button>
      ) : (
        <Button weight="quiet" busy={resume.isBusy} onClick={() => resume.act({ run, track })}>
          <Icon name="play" size={12} /> Resume<span className="hidden-words"> track {track}</span>
        </Button>
      )}
    </div>
  );
}
