import type { TranscriptLine, TranscriptPage } from '../../../../schema/transcript-page.ts';

/** The consecutive rows of a transcript that are held, and where they stand in all of it. */
export type Window = { start: number; rows: readonly TranscriptLine[]; total: number; last: number };

/** So many rows are asked for at once. */
export const PAGE_ROWS = 200;

/** More rows are never held: those farthest from the reader are dropped. */
export const MOST_ROWS = 2_000;

const ROW_HEIGHT = 28;
/** Browsers cut elements that are taller than some 17 million pixels. */
const TALLEST_GAP = 6_000_000;

/** Begins with one page. `last` is the newest row that is known of. */
export function windowOf(page: TranscriptPage, last: number): Window {
  return { start: page.offset, rows: page.rows, total: page.total, last: Math.max(last, page.rows.at(-1)?.id ?? 0) };
}

function endOf(window: Window): number {
  return window.start + window.rows.length;
}

/** Whether the newest row is among those that are held. */
export function isAtNewest(window: Window): boolean {
  return endOf(window) >= window.total;
}

/** Puts a page before or behind what is held, as it fits; the far end is dropped. A page that does not touch changes nothing. */
export function extended(window: Window, page: TranscriptPage): Window {
  const total = Math.max(window.total, page.total);
  const pageEnd = page.offset + page.rows.length;
  if (page.offset < window.start && pageEnd >= window.start) {
    const rows = [...page.rows.slice(0, window.start - page.offset), ...window.rows].slice(0, MOST_ROWS);
    return { ...window, total, start: page.offset, rows };
  }
  if (page.offset <= endOf(window) && pageEnd > endOf(window)) {
    const rows = [...window.rows, ...page.rows.slice(endOf(window) - page.offset)];
    return { ...droppedBefore({ ...window, total, rows }), last: Math.max(window.last, rows.at(-1)?.id ?? 0) };
  }
  return { ...window, total };
}

/** Takes rows as they are said. They are held only while the newest row is; a reader who is far up only sees that there are more. */
export function grown(window: Window, said: readonly TranscriptLine[], isFollowed: boolean): Window {
  const fresh = said.filter(({ id }) => id > window.last);
  const last = fresh.at(-1)?.id;
  if (last === undefined) return window;
  const total = window.total + fresh.length;
  const isFull = window.rows.length + fresh.length > MOST_ROWS && !isFollowed;
  if (!isAtNewest(window) || isFull) return { ...window, total, last };
  return droppedBefore({ ...window, total, last, rows: [...window.rows, ...fresh] });
}

/** How tall the room is that rows take which are not held. */
export function gapHeights(window: Window): { before: number; after: number } {
  return { before: gapHeight(window.start), after: gapHeight(window.total - endOf(window)) };
}

/** Which row a place in the room before (or behind) the held rows stands for. */
function rowInGap(window: Window, side: 'before' | 'after', share: number): number {
  const part = Math.min(1, Math.max(0, share));
  if (side === 'before') return Math.floor(window.start * part);
  return Math.min(window.total - 1, endOf(window) + Math.floor((window.total - endOf(window)) * part));
}

function gapHeight(rows: number): number {
  return Math.min(Math.max(0, rows) * ROW_HEIGHT, TALLEST_GAP);
}

function droppedBefore(window: Window): Window {
  const over = window.rows.length - MOST_ROWS;
  return over <= 0 ? window : { ...window, start: window.start + over, rows: window.rows.slice(over) };
}

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
