import type { OperationOutput } from '../../../operations/all.ts';
import { daysBetween, type Measure } from './usage-query.ts';

export type UsageRow = OperationOutput<'usage'>[number];

/** One day of the plot: the total, and the part of the selected name. */
export type DayBar = { day: string; all: number; chosen: number };

/** The value of a row for a measure. */
export function amountOf(row: UsageRow, measure: Measure): number {
  if (measure === 'tokens') return row.inputTokens + row.cachedTokens + row.outputTokens;
  return row[measure];
}

/** The days of a plot, from the first requested or known day to the last. */
export function dayBars(
  rows: readonly UsageRow[],
  shown: { measure: Measure; chosen: string | undefined; since: string; until: string },
): DayBar[] {
  const dated = rows.flatMap((row) => (row.day === undefined ? [] : [{ ...row, day: row.day }]));
  const days = dated.map(({ day }) => day).sort();
  const first = shown.since === '' ? days[0] : shown.since;
  if (first === undefined) return [];
  const byDay = Map.groupBy(dated, ({ day }) => day);
  const sum = (some: readonly UsageRow[]) => some.reduce((total, row) => total + amountOf(row, shown.measure), 0);
  return daysBetween(first, shown.until).map((day) => {
    const own = byDay.get(day) ?? [];
    return { day, all: sum(own), chosen: sum(own.filter(({ name }) => name === shown.chosen)) };
  });
}

/** The smallest round number that is not below an amount, for the scale. */
export function roundUp(amount: number): number {
  if (amount <= 0) return 1;
  const step = 10 ** Math.floor(Math.log10(amount));
  return [1, 2, 2.5, 5, 10].map((times) => times * step).find((top) => top >= amount) ?? amount;
}
