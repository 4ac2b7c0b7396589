import { type TranscriptItem, type TranscriptLine, transcriptLines } from './transcript-line.ts';

/** The loaded output of an attempt, and the scroll position. */
export type Transcript = {
  /** Grows in place, because it may be long and rows arrive often. */
  rows: TranscriptItem[];
  /** How many rows precede the first loaded one. */
  earlier: number;
  isLoaded: boolean;
  /** The first visible line; null follows the end. */
  anchor: Anchor | null;
};

type Anchor = { row: number; line: number };

/** The size of the view and its filter. */
export type TranscriptView = { columns: number; height: number; filter: string };

/** More rows are kept only while the user has scrolled up. */
const MOST_ROWS = 5_000;
const MOST_ROWS_READING = 50_000;

export function emptyTranscript(): Transcript {
  return { rows: [], earlier: 0, isLoaded: false, anchor: null };
}

/** Appends later rows; the oldest rows are dropped when there are too many. */
export function withLater(transcript: Transcript, later: readonly TranscriptItem[]): Transcript {
  const { rows, earlier, anchor } = transcript;
  const last = rows.at(-1)?.id ?? 0;
  for (const row of later) if (row.id > last) rows.push(row);
  const most = anchor === null ? MOST_ROWS : MOST_ROWS_READING;
  const dropped = rows.length > most ? rows.splice(0, rows.length - Math.floor(most * 0.8)).length : 0;
  return { ...transcript, earlier: earlier + dropped, isLoaded: true };
}

/** Prepends earlier rows; the visible lines stay the same. */
export function withEarlier(transcript: Transcript, before: readonly TranscriptItem[], earlier: number): Transcript {
  const first = transcript.rows[0]?.id ?? Number.POSITIVE_INFINITY;
  return { ...transcript, rows: [...before.filter(({ id }) => id < first), ...transcript.rows], earlier };
}

/** The visible lines. */
export function visibleLines(transcript: Transcript, view: TranscriptView): TranscriptLine[] {
  const rows = shownRows(transcript, view);
  const start = startOf(transcript, rows, view);
  const lines: TranscriptLine[] = [];
  for (let index = start.index; index < rows.length && lines.length < view.height; index += 1) {
    const row = rows[index];
    if (row !== undefined)
      lines.push(...transcriptLines(row, view.columns).slice(index === start.index ? start.line : 0));
  }
  return lines.slice(0, view.height);
}

/** Scrolls down by a number of lines, or up if it is negative; infinite values go to the end or the start. At the end the output is followed again. */
export function scrolled(transcript: Transcript, by: number, view: TranscriptView): Transcript {
  if (by === Number.POSITIVE_INFINITY) return { ...transcript, anchor: null };
  const rows = shownRows(transcript, view);
  const last = screenfulFromEnd(rows, view);
  const isToTop = by === Number.NEGATIVE_INFINITY;
  const start = isToTop ? TOP : move(rows, startOf(transcript, rows, view), { by, columns: view.columns });
  const isAtEnd = start.index > last.index || (start.index === last.index && start.line >= last.line);
  const row = rows[start.index];
  return { ...transcript, anchor: isAtEnd || row === undefined ? null : { row: row.id, line: start.line } };
}

/** Whether the first loaded line is visible. */
export function isAtTop(transcript: Transcript, view: TranscriptView): boolean {
  const start = startOf(transcript, shownRows(transcript, view), view);
  return start.index === 0 && start.line === 0;
}

type Position = { index: number; line: number };

const TOP: Position = { index: 0, line: 0 };

function shownRows({ rows }: Transcript, { filter, columns }: TranscriptView): readonly TranscriptItem[] {
  if (filter === '') return rows;
  return rows.filter(
    (row) => matches(row.text, filter) || transcriptLines(row, columns).some(({ text }) => matches(text, filter)),
  );
}

function startOf({ anchor }: Transcript, rows: readonly TranscriptItem[], view: TranscriptView): Position {
  const last = screenfulFromEnd(rows, view);
  if (anchor === null) return last;
  const index = rows.findIndex(({ id }) => id >= anchor.row);
  if (index < 0 || index > last.index) return last;
  const row = rows[index];
  const lines = row === undefined ? 0 : transcriptLines(row, view.columns).length;
  const line = row?.id === anchor.row ? Math.min(anchor.line, Math.max(lines - 1, 0)) : 0;
  return index === last.index && line > last.line ? last : { index, line };
}

function screenfulFromEnd(rows: readonly TranscriptItem[], { columns, height }: TranscriptView): Position {
  return move(rows, { index: rows.length, line: 0 }, { by: -height, columns });
}

function move(
  rows: readonly TranscriptItem[],
  from: Position,
  { by, columns }: { by: number; columns: number },
): Position {
  let { index } = from;
  let line = from.line + by;
  while (line < 0 && index > 0) {
    index -= 1;
    line += lineCount(rows[index], columns);
  }
  while (index < rows.length && line >= lineCount(rows[index], columns)) {
    line -= lineCount(rows[index], columns);
    index += 1;
  }
  return { index, line: Math.max(line, 0) };
}

function lineCount(row: TranscriptItem | undefined, columns: number): number {
  return row === undefined ? 0 : transcriptLines(row, columns).length;
}

/** Whether a text contains every word of a filter. */
export function matches(text: string, filter: string): boolean {
  const lower = text.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
