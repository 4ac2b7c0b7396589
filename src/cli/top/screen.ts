import type { World } from '../../world.ts';
import type { RawScreen } from '../terminal/raw-screen.ts';
import type { Frame } from './frame.ts';

/** The whole terminal, on which frames are drawn. */
export interface Screen extends Disposable {
  /** Requests a redraw, which happens soon, once for many changes. */
  change(): void;
  /** Redraws every line, whatever is on the screen. */
  redraw(): void;
}

/** A frame, and in how many milliseconds it changes by itself. */
export type TimedFrame = { frame: Frame; nextMs: number };

const REDRAW_DELAY_MS = 50;

const ALTERNATE_SCREEN = '\u001b[?1049h';
/** Lines are not wrapped, and pastes are marked. */
const NO_WRAP = '\u001b[?7l';
const MARK_PASTES = '\u001b[?2004h';
const CLEAR = '\u001b[0m\u001b[2J';
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
/** Written before a line: after a line that fills the row it would erase the last character. */
const CLEAR_LINE = '\u001b[0m\u001b[2K';
/** Synchronized output: terminals that support it show everything between the two at once; others ignore it. */
const BEGIN_SYNC = '\u001b[?2026h';
const END_SYNC = '\u001b[?2026l';

/** Draws at most twenty times per second, only changed lines, and never before the terminal has accepted the last frame. */
export function createScreen(raw: RawScreen, world: World, draw: () => TimedFrame): Screen {
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
    if (update !== '') await raw.write(bytesOf(`${BEGIN_SYNC}${HIDE_CURSOR}${update}${END_SYNC}`));
    isWriting = false;
    if (!isOver) schedule(isSoon ? REDRAW_DELAY_MS : nextMs);
  }

  const screen: Screen = {
    change: () => {
      if (isSoon || isOver) return;
      isSoon = true;
      if (!isWriting) schedule(REDRAW_DELAY_MS);
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
  void raw.write(`${ALTERNATE_SCREEN}${NO_WRAP}${MARK_PASTES}${CLEAR}`);
  void show();
  return screen;
}

/** The output that replaces the old frame by the new one. */
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

/** The screen accepts bytes, one per character. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}
