import type { ReactElement } from 'react';
import { duration } from '../../../ui/amounts.tsx';
import type { Stand } from './moments.ts';
import { type Span, shareOf, ticksOf } from './span.ts';
import styles from './timeline.module.css';

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
