import type { World } from '../../world.ts';
import { cleanText } from '../render/clean-text.ts';
import { textWidth } from '../render/text-width.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Lines at the end of the terminal that are drawn again in place; removed when it is disposed of. */
export interface LiveArea extends Disposable {
  /** Something changed: it will be drawn soon, not at once. */
  change(): void;
}

export type Size = { columns: number; rows: number };

const SHORTEST_PAUSE_MS = 100;
/** Clocks go on while nothing happens; a picture that stands still looks like one that hangs. */
const CLOCK_MS = 1_000;

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
/** Terminals that know it show what stands between as one picture; others ignore it. */
const BEGIN_PICTURE = '\u001b[?2026h';
const END_PICTURE = '\u001b[?2026l';
const CLEAR_LINE = '\u001b[2K';
const CLEAR_BELOW = '\u001b[J';

/** Draws at most ten times a second, and only the lines that differ. */
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
    if (update !== '') terminal.err(`${BEGIN_PICTURE}${drawn.length === 0 ? HIDE_CURSOR : ''}${update}${END_PICTURE}`);
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
    [Symbol.dispose]: () => {
      soon?.();
      clock?.();
      stopResizing();
      terminal.err(`${eraser(drawn, terminal.size().columns)}${SHOW_CURSOR}`);
      drawn = [];
    },
  };
}

/** What turns the old picture, below which the cursor stands, into the new one. */
export function difference(old: readonly string[], next: readonly string[]): string {
  if (old.length === next.length && old.every((line, index) => line === next[index])) return '';
  const lines = next.map((line, index) => (line === old[index] ? '\n' : `${CLEAR_LINE}${line}\n`));
  return `${up(old.length)}${lines.join('')}${next.length < old.length ? CLEAR_BELOW : ''}`;
}

/** What removes the picture, also when a narrower terminal has wrapped its lines. */
function eraser(drawn: readonly string[], columns: number): string {
  const rows = drawn.reduce((sum, line) => sum + Math.max(Math.ceil(textWidth(cleanText(line)) / columns), 1), 0);
  return rows === 0 ? '' : `${up(rows)}\r${CLEAR_BELOW}`;
}

function up(rows: number): string {
  return rows === 0 ? '' : `\u001b[${rows}A\r`;
}
