import type { DiffRow } from './diff-rows.ts';
import type { Selection, Side } from './line-selection.ts';

/** The keyboard cursor: a row and its side. */
export type Cursor = { index: number; side: Side };

/** The next row with lines in a direction; the same cursor if there is none. */
export function moved(rows: readonly DiffRow[], from: Cursor | undefined, by: 1 | -1): Cursor | undefined {
  const start = from === undefined ? -1 : from.index;
  for (let index = start + by; index >= 0 && index < rows.length; index += by) {
    const side = sideIn(rows[index], from?.side ?? 'new');
    if (side !== undefined) return { index, side };
  }
  return from;
}

/** The row of the next file in a direction. */
export function nextFile(rows: readonly DiffRow[], from: number, by: 1 | -1): number | undefined {
  for (let index = from + by; index >= 0 && index < rows.length; index += by) {
    if (rows[index]?.row === 'file') return index;
  }
  return undefined;
}

/** The line number of a row on a side; undefined if it has none. */
export function lineAt(row: DiffRow | undefined, side: Side): number | undefined {
  if (row?.row === 'line') return row.line[side] ?? undefined;
  if (row?.row === 'pair') return (side === 'old' ? row.left?.old : row.right?.new) ?? undefined;
  return undefined;
}

/** The preferred side, or the other one if the row has only that. */
export function sideIn(row: DiffRow | undefined, preferred: Side): Side | undefined {
  if (lineAt(row, preferred) !== undefined) return preferred;
  const other = preferred === 'old' ? 'new' : 'old';
  return lineAt(row, other) === undefined ? undefined : other;
}

/** The range from an anchor to a line; a range stays on one side of one file. */
export function spanned(anchor: Selection | undefined, to: { path: string; side: Side; line: number }): Selection {
  if (anchor === undefined || anchor.path !== to.path || anchor.side !== to.side) return { ...to, endLine: to.line };
  return { ...anchor, line: Math.min(anchor.line, to.line), endLine: Math.max(anchor.endLine, to.line) };
}

/** Whether a line is selected. */
export function isIn(selection: Selection | undefined, path: string, at: { side: Side; line: number | null }): boolean {
  if (selection === undefined || at.line === null) return false;
  const isSame = selection.path === path && selection.side === at.side;
  return isSame && at.line >= selection.line && at.line <= selection.endLine;
}
