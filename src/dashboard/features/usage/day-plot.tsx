import type { ReactElement } from 'react';
import { moneyText } from '../../../core/view/amounts.ts';
import { count } from '../../ui/text/amounts.tsx';
import { type DayBar, roundUp } from './day-bars.ts';
import styles from './usage.module.css';
import type { Measure } from './usage-query.ts';

const WIDTH = 720;
const HEIGHT = 140;
const GAP = 0.2;
const SHORT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

type DayPlotProps = { bars: readonly DayBar[]; measure: Measure; chosen: string | undefined };

/** A bar chart by day; the part of the name selected in the table is highlighted. */
export function DayPlot({ bars, measure, chosen }: DayPlotProps): ReactElement {
  const top = roundUp(Math.max(0, ...bars.map(({ all }) => all)));
  const step = WIDTH / Math.max(1, bars.length);
  const total = bars.reduce((sum, { all }) => sum + all, 0);
  const heightOf = (amount: number) => (amount / top) * HEIGHT;
  const format = (amount: number) => amountText(amount, measure);
  return (
    <figure className={styles.plot}>
      <div className={styles.scale} aria-hidden="true">
        <span>{format(top)}</span>
        <span>{format(top / 2)}</span>
        <span>{format(0)}</span>
      </div>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={styles.bars}
        role="img"
        aria-label={`By day: ${format(total)} in ${count(bars.length, 'day')}`}
      >
        {bars.map(({ day, all, chosen: own }, index) => (
          <g key={day}>
            <title>{`${day}: ${format(all)}${chosen === undefined ? '' : `; ${chosen}: ${format(own)}`}`}</title>
            <rect x={index * step} y={0} width={step} height={HEIGHT} className={styles.day} />
            <rect
              x={index * step + (step * GAP) / 2}
              y={HEIGHT - heightOf(all)}
              width={step * (1 - GAP)}
              height={heightOf(all)}
              className={chosen === undefined ? styles.bar : styles.pale}
            />
            <rect
              x={index * step + (step * GAP) / 2}
              y={HEIGHT - heightOf(own)}
              width={step * (1 - GAP)}
              height={heightOf(own)}
              className={styles.bar}
            />
          </g>
        ))}
      </svg>
      <figcaption className={styles.days} aria-hidden="true">
        <span>{bars[0]?.day}</span>
        <span>{bars.at(-1)?.day}</span>
      </figcaption>
    </figure>
  );
}

function amountText(amount: number, measure: Measure): string {
  return measure === 'cost' ? moneyText(amount) : SHORT.format(amount);
}
