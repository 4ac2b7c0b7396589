import type { ReactElement } from 'react';
import { Button } from '../../../ui/controls/button.tsx';
import { colorOf, type Look } from '../../../ui/state/display-state.ts';
import { duration } from '../../../ui/text/amounts.tsx';
import { Icon } from '../../../ui/text/icon.tsx';
import { type Span, shareOf, ticksOf } from './time-range.ts';
import styles from './timeline.module.css';
import type { Stand } from './timeline-history.ts';
import type { SpanView } from './use-time-range.ts';

const MOST_TICKS = 10;
/** A tick at the very end has no room for its words. */
const LAST_SHARE = 0.97;
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

type AxisProps = { span: Span; start: number; now: number | null; stands: readonly Stand[]; end: number };

/** The time since the start of the run, and where it is now. */
export function Axis({ span, start, now, stands, end }: AxisProps): ReactElement {
  return (
    <div className={styles.axis} aria-hidden="true">
      <span className={styles.corner}>Task</span>
      <div className={styles.ticks} data-lanes="">
        {ticksOf(span, start, MOST_TICKS)
          .filter(({ share }) => share < LAST_SHARE)
          .map(({ at, share }) => (
            <span key={at} className={styles.tick} style={{ left: `${share * 100}%` }} title={EXACT.format(at)}>
              {at === start ? '0' : duration(at - start)}
            </span>
          ))}
        {stands.map((stand) => (
          <Standstill key={stand.from} stand={stand} span={span} end={end} />
        ))}
        {now === null || now < 0 || now > 1 ? null : (
          <span className={styles.now} style={{ left: `${now * 100}%` }} title="Now" />
        )}
      </div>
    </div>
  );
}

function Standstill({ stand, span, end }: { stand: Stand; span: Span; end: number }): ReactElement | null {
  const left = Math.max(shareOf(stand.from, span), 0);
  const right = Math.min(shareOf(stand.to ?? end, span), 1);
  if (right <= left) return null;
  const style = { left: `${left * 100}%`, width: `${(right - left) * 100}%` };
  return <span className={styles.stand} style={style} title={stand.words} />;
}

const ENTRIES: readonly { kind: string; look: Look; words: string }[] = [
  { kind: 'attempt', look: 'done', words: 'attempt that handed work over' },
  { kind: 'attempt', look: 'failed', words: 'failed' },
  { kind: 'attempt', look: 'running', words: 'at work' },
  { kind: 'wait', look: 'queued', words: 'wait' },
  { kind: 'checks', look: 'checking', words: 'checks and landing' },
  { kind: 'held', look: 'waiting', words: 'waits for you' },
];

/** What the bars mean, and how much of the time is in sight. */
export function Legend({ view }: { view: SpanView }): ReactElement {
  return (
    <div className={styles.legendBar}>
      <ul className={styles.legend} aria-label="What the bars mean">
        {ENTRIES.map(({ kind, look, words }) => (
          <li key={words}>
            <span className={styles.sample} data-kind={kind} style={{ color: colorOf(look) }} />
            {words}
          </li>
        ))}
      </ul>
      <span className={styles.buttons}>
        <Button weight="quiet" aria-label="Zoom out" title="Zoom out (-)" onClick={() => view.zoom(1.5)}>
          <Icon name="minus" size={14} />
        </Button>
        <Button weight="quiet" aria-label="Zoom in" title="Zoom in (+)" onClick={() => view.zoom(1 / 1.5)}>
          <Icon name="plus" size={14} />
        </Button>
        <Button weight="quiet" disabled={view.isWhole} title="Show all of it (0)" onClick={view.fit}>
          <Icon name="wide" size={14} /> Fit
        </Button>
      </span>
    </div>
  );
}
