import type { ReactElement } from 'react';
import { Link } from 'wouter';
import type { RunState, TaskState } from '../../../../core/run/state.ts';
import { taskPath } from '../../../ui/paths.ts';
import { colorOf, lookOfTask } from '../../../ui/state.ts';
import { StateMark } from '../../../ui/state-mark.tsx';
import type { Mark, Moments } from './moments.ts';
import { marksOf, type Segment, segmentsOf } from './segments.ts';
import { type Span, shareOf } from './span.ts';
import styles from './timeline.module.css';

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
