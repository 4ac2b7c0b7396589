import type { TranscriptLine, TranscriptPage } from '../../../../schema/transcript-page.ts';

/** The consecutive loaded rows of a transcript, and their offset in it. */
export type LoadedRows = { start: number; rows: readonly TranscriptLine[]; total: number; last: number };

/** Rows per request. */
export const PAGE_ROWS = 200;

/** The maximum of loaded rows; those farthest from the reader are dropped. */
export const MAX_ROWS = 2_000;

const ROW_HEIGHT = 28;
/** Browsers limit elements to about 17 million pixels. */
const MAX_GAP_PX = 6_000_000;

/** Starts with one page. `last` is the id of the newest known row. */
export function loadedRows(page: TranscriptPage, last: number): LoadedRows {
  return { start: page.offset, rows: page.rows, total: page.total, last: Math.max(last, page.rows.at(-1)?.id ?? 0) };
}

function endOf(loaded: LoadedRows): number {
  return loaded.start + loaded.rows.length;
}

/** Whether the newest row is loaded. */
export function isAtNewest(loaded: LoadedRows): boolean {
  return endOf(loaded) >= loaded.total;
}

/** Adds an adjacent page before or after the loaded rows and drops the far end. A page that is not adjacent changes nothing. */
export function withPage(loaded: LoadedRows, page: TranscriptPage): LoadedRows {
  const total = Math.max(loaded.total, page.total);
  const pageEnd = page.offset + page.rows.length;
  if (page.offset < loaded.start && pageEnd >= loaded.start) {
    const rows = [...page.rows.slice(0, loaded.start - page.offset), ...loaded.rows].slice(0, MAX_ROWS);
    return { ...loaded, total, start: page.offset, rows };
  }
  if (page.offset <= endOf(loaded) && pageEnd > endOf(loaded)) {
    const rows = [...loaded.rows, ...page.rows.slice(endOf(loaded) - page.offset)];
    return { ...droppedBefore({ ...loaded, total, rows }), last: Math.max(loaded.last, rows.at(-1)?.id ?? 0) };
  }
  return { ...loaded, total };
}

/** Adds new rows. They are loaded only if the newest row is; otherwise only the total grows. */
export function withNewRows(loaded: LoadedRows, received: readonly TranscriptLine[], isFollowed: boolean): LoadedRows {
  const fresh = received.filter(({ id }) => id > loaded.last);
  const last = fresh.at(-1)?.id;
  if (last === undefined) return loaded;
  const total = loaded.total + fresh.length;
  const isFull = loaded.rows.length + fresh.length > MAX_ROWS && !isFollowed;
  if (!isAtNewest(loaded) || isFull) return { ...loaded, total, last };
  return droppedBefore({ ...loaded, total, last, rows: [...loaded.rows, ...fresh] });
}

/** The heights of the gaps for rows that are not loaded. */
export function gapHeights(loaded: LoadedRows): { before: number; after: number } {
  return { before: gapHeight(loaded.start), after: gapHeight(loaded.total - endOf(loaded)) };
}

/** The row at a relative position in the gap before or after the loaded rows. */
function rowInGap(loaded: LoadedRows, side: 'before' | 'after', share: number): number {
  const part = Math.min(1, Math.max(0, share));
  if (side === 'before') return Math.floor(loaded.start * part);
  return Math.min(loaded.total - 1, endOf(loaded) + Math.floor((loaded.total - endOf(loaded)) * part));
}

function gapHeight(rows: number): number {
  return Math.min(Math.max(0, rows) * ROW_HEIGHT, MAX_GAP_PX);
}

function droppedBefore(loaded: LoadedRows): LoadedRows {
  const over = loaded.rows.length - MAX_ROWS;
  return over <= 0 ? loaded : { ...loaded, start: loaded.start + over, rows: loaded.rows.slice(over) };
}

export type Gaps = { before: number; after: number };

type ScrollState = { scrollTop: number; scrollHeight: number; clientHeight: number };

/** A row by its offset, and where it is aligned in the view. */
export type ScrollTarget = { offset: number; at: 'start' | 'end' };

/** The target to load if the view is far from all loaded rows; else undefined. */
export function scrollTargetAt(loaded: LoadedRows, gaps: Gaps, scroll: ScrollState): ScrollTarget | undefined {
  const { scrollTop, scrollHeight, clientHeight } = scroll;
  const bottom = scrollTop + clientHeight;
  if (gaps.before > 0 && bottom < gaps.before - clientHeight)
    return { offset: rowInGap(loaded, 'before', scrollTop / gaps.before), at: 'start' };
  const afterStart = scrollHeight - gaps.after;
  if (gaps.after > 0 && scrollTop > afterStart + clientHeight)
    return { offset: rowInGap(loaded, 'after', (bottom - afterStart) / gaps.after), at: 'end' };
  return undefined;
}
