/** A time range in epoch milliseconds. */
export type TimeRange = { from: number; to: number };
export type Tick = { at: number; share: number };

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 7, 30, 90, 365].map((days) => days * DAY),
];
const MIN_MS = 500;

/** The relative position of a time in a range: 0 at its start, 1 at its end. */
export function shareOf(at: number, { from, to }: TimeRange): number {
  return (at - from) / Math.max(to - from, 1);
}

/** Scales a range around a fixed point, within the full range. */
export function zoomed(
  range: TimeRange,
  full: TimeRange,
  { factor, around }: { factor: number; around: number },
): TimeRange {
  const length = Math.max((range.to - range.from) * factor, MIN_MS);
  const fixed = range.from + (range.to - range.from) * around;
  return within({ from: fixed - length * around, to: fixed + length * (1 - around) }, full);
}

/** Moves a range by a share of its length, within the full range. */
export function moved(range: TimeRange, full: TimeRange, share: number): TimeRange {
  const by = (range.to - range.from) * share;
  return within({ from: range.from + by, to: range.to + by }, full);
}

/** Ticks at round times since the start of the run, at most `most`. */
export function ticksOf(range: TimeRange, start: number, most: number): Tick[] {
  const length = range.to - range.from;
  const step = STEPS.find((each) => length / each <= most) ?? DAY * 365;
  const ticks: Tick[] = [];
  for (let at = start + Math.ceil((range.from - start) / step) * step; at <= range.to; at += step) {
    ticks.push({ at, share: shareOf(at, range) });
  }
  return ticks;
}

function within(range: TimeRange, full: TimeRange): TimeRange {
  const length = Math.min(range.to - range.from, full.to - full.from);
  const from = Math.min(Math.max(range.from, full.from), full.to - length);
  return { from, to: from + length };
}
