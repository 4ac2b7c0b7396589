import type { ReactElement } from 'react';
import { moneyText } from '../../../core/view/amounts.ts';
import { costText, unknownUsageText } from '../../../core/view/cost-text.ts';
import type { UnknownUsage } from '../../../schema/usage.ts';
import { now } from '../browser/clock.ts';
import { useNow } from '../browser/use-now.ts';

const UNITS: readonly [string, number][] = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
];
/** With the zone: every time of the page is in that of this browser. */
const EXACT = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'short',
});

/** A date and time to the second. */
export function exactTime(at: string | number): string {
  return EXACT.format(new Date(at));
}

/** A time relative to now, with the exact time in its tooltip. */
export function Time({ at }: { at: string | number }): ReactElement {
  const moment = new Date(at);
  const time = useNow(distanceStep(moment.getTime()));
  return (
    <time dateTime={moment.toISOString()} title={exactTime(at)} className="numbers">
      {relative(moment.getTime(), time)}
    </time>
  );
}

/** A duration; it counts up while there is no end. */
export function Duration({ from, to }: { from: string | number; to: string | number | null }): ReactElement {
  const time = useNow(1_000);
  const end = to === null ? time : new Date(to).getTime();
  return <span className="numbers">{lasted(end - new Date(from).getTime())}</span>;
}

/** US dollars. */
export function Money({ usd }: { usd: number | null }): ReactElement {
  if (usd !== null) return <span className="numbers">{moneyText(usd)}</span>;
  return <span title="Not reported by the agent">–</span>;
}

type SpentProps = { usd: number; budget?: number | null | undefined; unknown?: UnknownUsage | undefined };

/** The cost of something, of a budget if there is one; where no cost was reported and no budget is set, a dash. */
export function Spent({ usd, budget = null, unknown }: SpentProps): ReactElement {
  if (unknown === undefined && usd === 0 && budget == null) return <span title="No cost was reported">–</span>;
  return (
    <span className="numbers" title={unknown === undefined ? undefined : unknownUsageText(unknown)}>
      {costText({ cost: usd, unknownUsage: unknown })}
      {budget == null ? '' : ` of ${moneyText(budget)}`}
    </span>
  );
}

/** How long something took; less than a second is not shown as none. */
export function lasted(ms: number): string {
  return ms < 1_000 ? '<1s' : duration(ms);
}

export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const at = UNITS.findIndex(([, size]) => seconds >= size);
  const [unit, size] = UNITS[at] ?? ['s', 1];
  const below = UNITS[at + 1];
  const rest = below === undefined ? 0 : Math.floor((seconds % size) / below[1]);
  const whole = `${Math.floor(seconds / size)}${unit}`;
  return rest === 0 || below === undefined ? whole : `${whole} ${rest}${below[0]}`;
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;
}

function relative(at: number, time: number): string {
  const distance = time - at;
  if (Math.abs(distance) < 5_000) return 'now';
  return distance >= 0 ? `${coarse(distance)} ago` : `in ${duration(-distance)}`;
}

function coarse(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  const [unit, size] = UNITS.find(([, each]) => seconds >= each) ?? ['s', 1];
  return `${Math.floor(seconds / size)}${unit}`;
}

/** Times more than an hour away are updated less often. */
function distanceStep(at: number): number {
  return Math.abs(now() - at) < 3_600_000 ? 5_000 : 60_000;
}
