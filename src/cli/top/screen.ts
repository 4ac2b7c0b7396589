import type { World } from '../../world.ts';
import type { RawScreen } from '../terminal/raw-screen.ts';
import type { Frame } from './frame.ts';

/** The person's whole terminal, on which pictures are drawn. */
export interface Screen extends Disposable {
  /** Something changed: it is drawn soon, once for many changes. */
  change(): void;
  /** Draws every line anew, whatever stands there. */
  redraw(): void;
}

/** A picture, and in how many milliseconds it changes by itself. */
export type Picture = { frame: Frame; nextMs: number };

const PAUSE_MS = 50;

const OTHER_SCREEN = '\u001b[?1049h';
/** Lines are never wrapped, and a paste is told apart from typing. */
const NO_WRAP = '\u001b[?7l';
const MARK_PASTES = '\u001b[?2004h';
const CLEAR = '\u001b[0m\u001b[2J';
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
/** Before the line: after one that fills the row it would take the last character away. */
const CLEAR_LINE = '\u001b[0m\u001b[2K';
/** Terminals that know it show what stands between as one picture; others ignore it. */
const BEGIN_PICTURE = '\u001b[?2026h';
const END_PICTURE = '\u001b[?2026l';

/** Draws at most twenty times a second, only the lines that differ, and never before the terminal has taken the last picture. */
export function createScreen(raw: RawScreen, world: World, draw: () => Picture): Screen {
  let drawn: Frame = { lines: [] };
  let cancelNext: (() => void) | undefined;
  let isSoon = false;
  let isWriting = false;
  let isOver = false;

  function schedule(ms: number): void {
    cancelNext?.();
    cancelNext = world.alarm(world.now() + ms, () => {
      void show();
    });
  }

  async function show(): Promise<void> {
    if (isOver || isWriting) return;
    isSoon = false;
    const { frame, nextMs } = draw();
    const update = difference(drawn, frame);
    drawn = frame;
    isWriting = true;
    if (update !== '') await raw.write(bytesOf(`${BEGIN_PICTURE}${HIDE_CURSOR}${update}${END_PICTURE}`));
    isWriting = false;
    if (!isOver) schedule(isSoon ? PAUSE_MS : nextMs);
  }

  const screen: Screen = {
    change: () => {
      if (isSoon || isOver) return;
      isSoon = true;
      if (!isWriting) schedule(PAUSE_MS);
    },
    redraw: () => {
      drawn = { lines: [] };
      void raw.write(CLEAR);
      screen.change();
    },
    [Symbol.dispose]: () => {
      isOver = true;
      cancelNext?.();
      raw[Symbol.dispose]();
    },
  };
  raw.onResize(screen.redraw);
  void raw.write(`${OTHER_SCREEN}${NO_WRAP}${MARK_PASTES}${CLEAR}`);
  void show();
  return screen;
}

/** What turns the old picture into the new one. */
export function difference(old: Frame, next: Frame): string {
  const lines = next.lines.flatMap((line, row) =>
    line === old.lines[row] ? [] : [`${at(row, 0)}${CLEAR_LINE}${line}`],
  );
  const isCursorKept = next.cursor?.row === old.cursor?.row && next.cursor?.column === old.cursor?.column;
  if (lines.length === 0 && isCursorKept) return '';
  return `${lines.join('')}${next.cursor === undefined ? '' : `${at(next.cursor.row, next.cursor.column)}${SHOW_CURSOR}`}`;
}

function at(row: number, column: number): string {
  return `\u001b[${row + 1};${column + 1}H`;
}

/** The screen takes bytes, a character each. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}
