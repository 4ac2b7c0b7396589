import { rowInGap, type Window } from './window.ts';

export type Gaps = { before: number; after: number };

type Seen = { scrollTop: number; scrollHeight: number; clientHeight: number };

/** A row by its place among all of them, and where in the view it belongs. */
export type Place = { offset: number; at: 'start' | 'end' };

/** What belongs where a reader looks, when that is so far from all rows that are held that others must be read; else undefined. */
export function placeIn(window: Window, gaps: Gaps, seen: Seen): Place | undefined {
  const { scrollTop, scrollHeight, clientHeight } = seen;
  const bottom = scrollTop + clientHeight;
  if (gaps.before > 0 && bottom < gaps.before - clientHeight)
    return { offset: rowInGap(window, 'before', scrollTop / gaps.before), at: 'start' };
  const afterStart = scrollHeight - gaps.after;
  if (gaps.after > 0 && scrollTop > afterStart + clientHeight)
    return { offset: rowInGap(window, 'after', (bottom - afterStart) / gaps.after), at: 'end' };
  return undefined;
}
