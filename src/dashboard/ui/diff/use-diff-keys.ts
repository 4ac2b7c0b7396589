import { type KeyboardEvent, useMemo, useState } from 'react';
import { isTyping } from '../controls/list-keys.ts';
import { type Cursor, lineAt, moved, nextFile, sideIn, spanned } from './diff-cursor.ts';
import type { DiffRow } from './diff-rows.ts';
import type { DraftComment } from './draft-review.ts';
import type { Selection, Side } from './line-selection.ts';

type DiffKeys = {
  cursor: Cursor | undefined;
  selected: Selection | undefined;
  /** The cursor position for screen readers. */
  announcement: string;
  actions: LineActions;
  onKeyDown(event: KeyboardEvent): void;
};

type DiffKeyContext = { actions: DiffActions; show(index: number): void };

/** Keyboard navigation of a diff: arrows or j and k move, Shift selects, Enter or c comments, v marks the file as viewed, n and p move between files. */
export function useDiffKeys(rows: readonly DiffRow[], { actions, show }: DiffKeyContext): DiffKeys {
  const [kept, setKept] = useState<KeptCursor>();
  const cursor = useMemo(() => locate(rows, kept), [rows, kept]);
  const setCursor = (next: Cursor) => setKept({ cursor: next, key: rows[next.index]?.key ?? '' });
  const [selected, setSelected] = useState<Selection>();
  const here = cursor === undefined ? undefined : rows[cursor.index];

  const go = (next: Cursor | undefined, isMore: boolean) => {
    if (next === undefined) return;
    setCursor(next);
    show(next.index);
    const selection = at(rows[next.index], next.side);
    if (selection !== undefined) setSelected(isMore ? spanned(selected, selection) : selection);
  };
  const comment = (selection: Selection | undefined) => {
    if (selection !== undefined) actions.select(selection);
  };
  const selectLine: LineActions['selectLine'] = (row, side, isMore) => {
    const one = at(row, side);
    if (one === undefined) return;
    const selection = isMore ? spanned(selected, one) : one;
    setSelected(selection);
    setCursor({ index: rows.indexOf(row), side });
    comment(selection);
  };
  const stop = () => {
    setSelected(undefined);
    actions.stop();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    // A button of the diff handles Enter and Escape itself.
    if (event.target !== event.currentTarget && event.key.length > 1) return;
    const down = () => go(moved(rows, cursor, 1), event.shiftKey);
    const up = () => go(moved(rows, cursor, -1), event.shiftKey);
    const handlers: Record<string, () => void> = {
      ArrowDown: down,
      j: down,
      ArrowUp: up,
      k: up,
      ArrowLeft: () => cursor && go({ ...cursor, side: sideIn(here, 'old') ?? cursor.side }, false),
      ArrowRight: () => cursor && go({ ...cursor, side: sideIn(here, 'new') ?? cursor.side }, false),
      Enter: () => comment(selected),
      c: () => comment(selected),
      n: () => go(moved(rows, fileAt(rows, cursor, 1), 1), false),
      p: () => go(moved(rows, fileAt(rows, cursor, -1), 1), false),
      v: () => here !== undefined && actions.view(here.file.path),
      Escape: stop,
    };
    const chosen = handlers[event.key];
    if (chosen === undefined) return;
    event.preventDefault();
    chosen();
  };
  return {
    cursor,
    selected,
    announcement: describeCursor(here, cursor),
    actions: { ...actions, stop, selectLine },
    onKeyDown,
  };
}

/** The cursor, and the row that it was set on. */
type KeptCursor = { cursor: Cursor; key: string };

/** The cursor stays on its row when rows appear or disappear before it. */
function locate(rows: readonly DiffRow[], kept: KeptCursor | undefined): Cursor | undefined {
  if (kept === undefined || rows[kept.cursor.index]?.key === kept.key) return kept?.cursor;
  const index = rows.findIndex(({ key }) => key === kept.key);
  return index < 0 ? kept.cursor : { ...kept.cursor, index };
}

function at(row: DiffRow | undefined, side: Side): Selection | undefined {
  const line = lineAt(row, side);
  return row === undefined || line === undefined ? undefined : { path: row.file.path, side, line, endLine: line };
}

/** The cursor just above the first line of the next or previous file. */
function fileAt(rows: readonly DiffRow[], cursor: Cursor | undefined, by: 1 | -1): Cursor {
  const index = cursor?.index ?? -1;
  const from = by === -1 ? (nextFile(rows, index, -1) ?? 0) : index;
  return { index: nextFile(rows, from, by) ?? from, side: cursor?.side ?? 'new' };
}

function describeCursor(row: DiffRow | undefined, cursor: Cursor | undefined): string {
  if (row === undefined || cursor === undefined) return '';
  const line =
    row.row === 'line' ? row.line : row.row === 'pair' ? (cursor.side === 'old' ? row.left : row.right) : null;
  if (line === null) return '';
  return `${line.kind === 'same' ? '' : line.kind} line ${line[cursor.side] ?? ''}: ${line.text.slice(0, 200)}`;
}

/** The actions of a diff. */
export type DiffActions = {
  toggle(path: string): void;
  /** Marks a file as viewed, or removes the mark. */
  view(path: string): void;
  select(selection: Selection): void;
  edit(comment: DraftComment): void;
  remove(comment: DraftComment): void;
  save(text: string): void;
  stop(): void;
};

/** The actions of a diff and of its line numbers; `isMore` extends the selection. */
export type LineActions = DiffActions & { selectLine(row: DiffRow, side: Side, isMore: boolean): void };
