/** A stretch of time that is looked at, in milliseconds since 1970. */
export type Span = { from: number; to: number };
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
const LEAST_MS = 500;

/** Where a moment stands in the span: 0 at its beginning, 1 at its end. */
export function shareOf(at: number, { from, to }: Span): number {
  return (at - from) / Math.max(to - from, 1);
}

/** Shows more or less time around a point that stays where it is; never more than there is. */
export function zoomed(span: Span, whole: Span, { factor, around }: { factor: number; around: number }): Span {
  const length = Math.max((span.to - span.from) * factor, LEAST_MS);
  const fixed = span.from + (span.to - span.from) * around;
  return within({ from: fixed - length * around, to: fixed + length * (1 - around) }, whole);
}

/** Moves along by a share of what is in sight. */
export function moved(span: Span, whole: Span, share: number): Span {
  const by = (span.to - span.from) * share;
  return within({ from: span.from + by, to: span.to + by }, whole);
}

/** Round moments since the start of the run, at most as many as are asked for. */
export function ticksOf(span: Span, start: number, most: number): Tick[] {
  const length = span.to - span.from;
  const step = STEPS.find((each) => length / each <= most) ?? DAY * 365;
  const ticks: Tick[] = [];
  for (let at = start + Math.ceil((span.from - start) / step) * step; at <= span.to; at += step) {
    ticks.push({ at, share: shareOf(at, span) });
  }
  return ticks;
}

function within(span: Span, whole: Span): Span {
  const length = Math.min(span.to - span.from, whole.to - whole.from);
  const from = Math.min(Math.max(span.from, whole.from), whole.to - length);
  return { from, to: from + length };
}
