import { type ReactElement, useState } from 'react';
import { Button } from '../../../ui/controls/button.tsx';
import { type DisplayState, stateColor } from '../../../ui/state/display-state.ts';
import { duration, exactTime } from '../../../ui/text/amounts.tsx';
import { Icon } from '../../../ui/text/icon.tsx';
import { shareOf, type TimeRange, ticksOf } from './time-range.ts';
import styles from './timeline.module.css';
import type { IdlePeriod } from './timeline-history.ts';
import type { TimeRangeView } from './use-time-range.ts';

const MAX_TICKS = 10;
/** A tick closer to the end has no space for its label. */
const LAST_SHARE = 0.97;
/** The label of a tick closer to the end is at its left. */
const LEFT_SHARE = 0.8;

type AxisProps = {
  range: TimeRange;
  start: number;
  now: number | null;
  idlePeriods: readonly IdlePeriod[];
  end: number;
};

/** The time axis since the start of the run, with idle periods and the current time. */
export function Axis({ range, start, now, idlePeriods, end }: AxisProps): ReactElement {
  return (
    <div className={styles.axis} aria-hidden="true">
      <span className={styles.corner}>Task</span>
      <div className={styles.ticks} data-lanes="">
        {ticksOf(range, start, MAX_TICKS)
          .filter(({ share }) => share < LAST_SHARE)
          .map(({ at, share }) => (
            <span
              key={at}
              className={styles.tick}
              data-last={share > LEFT_SHARE}
              style={{ left: `${share * 100}%` }}
              title={exactTime(at)}
            >
              {at === start ? '0' : duration(at - start)}
            </span>
          ))}
        {idlePeriods.map((idlePeriod) => (
          <IdleMark key={idlePeriod.from} idlePeriod={idlePeriod} range={range} end={end} />
        ))}
        {now === null || now < 0 || now > 1 ? null : (
          <span className={styles.now} style={{ left: `${now * 100}%` }} title="Now" />
        )}
      </div>
    </div>
  );
}

function IdleMark({
  idlePeriod,
  range,
  end,
}: {
  idlePeriod: IdlePeriod;
  range: TimeRange;
  end: number;
}): ReactElement | null {
  const left = Math.max(shareOf(idlePeriod.from, range), 0);
  const right = Math.min(shareOf(idlePeriod.to ?? end, range), 1);
  if (right <= left) return null;
  const style = { left: `${left * 100}%`, width: `${(right - left) * 100}%` };
  return <span className={styles.idle} style={style} title={idlePeriod.description} />;
}

/** `isRecorded`: drawn from the events of the run, which large runs do not load. */
type LegendEntry = { kind: string; displayState: DisplayState; description: string; isRecorded?: true };

const ENTRIES: readonly LegendEntry[] = [
  { kind: 'attempt', displayState: 'done', description: 'accepted' },
  { kind: 'attempt', displayState: 'unverified', description: 'rejected' },
  { kind: 'attempt', displayState: 'failed', description: 'failed' },
  { kind: 'attempt', displayState: 'cancelled', description: 'interrupted' },
  { kind: 'attempt', displayState: 'running', description: 'running' },
  { kind: 'wait', displayState: 'queued', description: 'wait' },
  { kind: 'checks', displayState: 'checking', description: 'checks and landing' },
  { kind: 'held', displayState: 'waiting', description: 'waits for you' },
  { kind: 'idle', displayState: 'waiting', description: 'run held or paused', isRecorded: true },
  { kind: 'gate', displayState: 'done', description: 'check passed', isRecorded: true },
  { kind: 'gate', displayState: 'failed', description: 'check failed', isRecorded: true },
  { kind: 'landed', displayState: 'done', description: 'landed' },
  { kind: 'person', displayState: 'waiting', description: 'your answer', isRecorded: true },
  { kind: 'warning', displayState: 'waiting', description: 'warning' },
];

/** The legend of the bars, and the zoom buttons. */
export function Legend({ view, hasHistory }: { view: TimeRangeView; hasHistory: boolean }): ReactElement {
  return (
    <div className={styles.legendBar}>
      <LegendEntries hasHistory={hasHistory} />
      <span className={styles.buttons}>
        <Button weight="quiet" aria-label="Zoom out" title="Zoom out (-)" onClick={() => view.zoom(1.5)}>
          <Icon name="minus" size={14} />
        </Button>
        <Button weight="quiet" aria-label="Zoom in" title="Zoom in (+)" onClick={() => view.zoom(1 / 1.5)}>
          <Icon name="plus" size={14} />
        </Button>
        <Button weight="quiet" disabled={view.isFull} title="Show all (0)" onClick={view.fit}>
          <Icon name="wide" size={14} /> Fit
        </Button>
      </span>
    </div>
  );
}

/** What bars and marks mean; folded on a phone. */
function LegendEntries({ hasHistory }: { hasHistory: boolean }): ReactElement {
  const [isWide] = useState(() => window.matchMedia('(min-width: 721px)').matches);
  return (
    <details className={styles.legendFold} open={isWide}>
      <summary>Legend</summary>
      <ul className={styles.legend} aria-label="Legend">
        {ENTRIES.filter(({ isRecorded = false }) => hasHistory || !isRecorded).map(
          ({ kind, displayState, description }) => (
            <li key={description}>
              <span className={styles.sample} data-kind={kind} style={{ color: stateColor(displayState) }} />
              {description}
            </li>
          ),
        )}
      </ul>
    </details>
  );
}
