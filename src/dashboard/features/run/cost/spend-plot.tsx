import type { ReactElement } from 'react';
import { moneyText } from '../../../../core/view/amounts.ts';
import type { SpendPoint } from '../../../../core/view/spend-history.ts';
import { exactTime } from '../../../ui/text/amounts.tsx';
import styles from './cost.module.css';

const WIDTH = 720;
const HEIGHT = 120;
/** A run of thousands of attempts is drawn with this many steps. */
const MAX_POINTS = 400;

type SpendPlotProps = { points: readonly SpendPoint[]; until: number; budget: number | undefined; isEnded: boolean };

/** The spend of a run over time as a line of steps, with the budget as a line across. */
export function SpendPlot({ points, until, budget, isEnded }: SpendPlotProps): ReactElement | null {
  const last = points.at(-1);
  const from = points[0]?.at ?? 0;
  if (last === undefined || points.length < 2) return null;
  const end = Math.max(until, last.at, from + 1);
  const top = Math.max(last.usd, budget ?? 0) * 1.05;
  const x = (at: number) => ((at - from) / (end - from)) * WIDTH;
  const y = (usd: number) => HEIGHT - (usd / top) * HEIGHT;
  const shown = thinned(points);
  const path = shown.map(({ at, usd }, index) => (index === 0 ? `M0 ${y(usd)}` : `H${x(at)}V${y(usd)}`)).join('');
  const label = `${moneyText(last.usd)} spent${budget === undefined ? '' : ` of ${moneyText(budget)}`}, from ${exactTime(from)} to ${exactTime(end)}`;
  return (
    <figure className={styles.spend}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <path d={`${path}H${WIDTH}V${HEIGHT}H0Z`} className={styles.area} />
        <path d={`${path}H${WIDTH}`} className={styles.step} />
        {budget === undefined ? null : <path d={`M0 ${y(budget)}H${WIDTH}`} className={styles.limit} />}
        {shown.slice(1).map(({ at, usd }) => (
          <rect key={`${at} ${usd}`} x={x(at) - 3} y={0} width={6} height={HEIGHT} className={styles.hit}>
            <title>{`${exactTime(at)}: ${moneyText(usd)}`}</title>
          </rect>
        ))}
      </svg>
      <figcaption className={styles.ends}>
        <span title={exactTime(from)}>start</span>
        {budget === undefined ? null : <span className={styles.limitName}>budget {moneyText(budget)}</span>}
        <span title={exactTime(end)}>
          {moneyText(last.usd)} {isEnded ? 'at the end' : 'now'}
        </span>
      </figcaption>
    </figure>
  );
}

/** Keeps the first and the last point. */
function thinned(points: readonly SpendPoint[]): readonly SpendPoint[] {
  const step = Math.ceil(points.length / MAX_POINTS);
  return step === 1 ? points : points.filter((_, index) => index % step === 0 || index === points.length - 1);
}
