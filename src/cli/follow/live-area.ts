import type { World } from '../../world.ts';
import { cleanText } from '../render/clean-text.ts';
import { textWidth } from '../render/text-width.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Lines at the end of the terminal that are redrawn in place; removed on disposal. */
export interface LiveArea extends Disposable {
  /** Requests a redraw, which happens after a short delay. */
  change(): void;
  /** Prints lines above the area, where they stay. */
  print(lines: readonly string[]): void;
}

export type Size = { columns: number; rows: number };

const SHORTEST_PAUSE_MS = 100;
/** Clocks advance while nothing happens, so that the display does not look frozen. */
const CLOCK_MS = 1_000;

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
/** Synchronized output: terminals that support it show everything between the two at once; others ignore it. */
const BEGIN_SYNC = '\u001b[?2026h';
const END_SYNC = '\u001b[?2026l';
const CLEAR_LINE = '\u001b[2K';
const CLEAR_BELOW = '\u001b[J';

/** Draws at most ten times per second, and only the lines that changed. */
export function createLiveArea(terminal: Terminal, world: World, lines: (size: Size) => string[]): LiveArea {
  let drawn: string[] = [];
  let drawnAt = Number.NEGATIVE_INFINITY;
  let soon: (() => void) | undefined;
  let clock: (() => void) | undefined;

  function draw(): void {
    soon = undefined;
    clock?.();
    const size = terminal.size();
    const next = lines(size).slice(0, Math.max(size.rows - 1, 1));
    const update = difference(drawn, next);
    if (update !== '') terminal.err(`${BEGIN_SYNC}${drawn.length === 0 ? HIDE_CURSOR : ''}${update}${END_SYNC}`);
    drawn = next;
    drawnAt = world.now();
    clock = world.alarm(drawnAt + CLOCK_MS, draw);
  }

  const stopResizing = terminal.onResize(() => {
    terminal.err(eraser(drawn, terminal.size().columns));
    drawn = [];
    draw();
  });

  return {
    change: () => {
      soon ??= world.alarm(drawnAt + SHORTEST_PAUSE_MS, draw);
    },
    print: (printed) => {
      if (printed.length === 0) return;
      terminal.err(`${eraser(drawn, terminal.size().columns)}${printed.join('\n')}\n`);
      drawn = [];
      soon?.();
      draw();
    },
    [Symbol.dispose]: () => {
      soon?.();
      clock?.();
      stopResizing();
      terminal.err(`${eraser(drawn, terminal.size().columns)}${SHOW_CURSOR}`);
      drawn = [];
    },
  };
}

/** The output that replaces the old lines, with the cursor below them, by the new ones. */
export function difference(old: readonly string[], next: readonly string[]): string {
  if (old.length === next.length && old.every((line, index) => line === next[index])) return '';
  const lines = next.map((line, index) => (line === old[index] ? '\n' : `${CLEAR_LINE}${line}\n`));
  return `${up(old.length)}${lines.join('')}${next.length < old.length ? CLEAR_BELOW : ''}`;
}

/** The output that erases the lines, even if a narrower terminal has wrapped them. */
function eraser(drawn: readonly string[], columns: number): string {
  const rows = drawn.reduce((sum, line) => sum + Math.max(Math.ceil(textWidth(cleanText(line)) / columns), 1), 0);
  return rows === 0 ? '' : `${up(rows)}\r${CLEAR_BELOW}`;
}

function up(rows: number): string {
  return rows === 0 ? '' : `\u001b[${rows}A\r`;
}
