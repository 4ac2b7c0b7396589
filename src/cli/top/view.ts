import type { Painter } from '../render/symbols.ts';
import { pad, shorten, textWidth } from '../render/text-width.ts';
import type { Top } from './top-state.ts';

/** What a frame is drawn from. */
export type View = { top: Top; now: number; colors: Painter };

/** A cell of a row; it is omitted if it does not fit. */
export type Cell = { text: string; width: number; isRight?: boolean; paint?: (text: string) => string };

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const MOST_HOURS = 48;

/** As many cells as fit; the selected row is marked, and inverted if there are colors. */
export function rowLine(cells: readonly Cell[], isSelected: boolean, { top, colors }: View): string {
  const { columns } = top.size;
  const texts: string[] = [];
  const painted: string[] = [];
  let used = 1;
  for (const { text, width, isRight, paint } of cells) {
    const available = Math.min(width, columns - used);
    if (available <= 0) continue;
    const padded = isRight ? padLeft(text, available) : pad(text, available);
    texts.push(padded);
    painted.push(paint?.(padded) ?? padded);
    used += available + 2;
  }
  if (!isSelected || !colors.isColorSupported) return `${isSelected ? '>' : ' '}${painted.join('  ')}`.trimEnd();
  const line = ` ${texts.join('  ')}`;
  return colors.inverse(line + ' '.repeat(Math.max(columns - textWidth(line), 0)));
}

/** A text on the left, and another at the right edge if both fit. */
export function spread(left: string, right: string, { columns, paint }: { columns: number; paint: Paints }): string {
  const available = columns - textWidth(right) - 2;
  if (right === '' || available < 20) return paint.left(shorten(left, columns));
  return `${paint.left(pad(left, available))}  ${paint.right(right)}`;
}

type Paints = { left: (text: string) => string; right: (text: string) => string };

/** How long ago something was, in the largest suitable unit. */
export function agoText(ms: number): string {
  if (ms < MINUTE_MS) return 'now';
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m ago`;
  if (ms < MOST_HOURS * HOUR_MS) return `${Math.floor(ms / HOUR_MS)}h ago`;
  return `${Math.floor(ms / DAY_MS)}d ago`;
}

/** The name of the folder, which is the name of a project. */
export function folderName(path: string): string {
  return path.split('/').findLast((part) => part !== '') ?? path;
}

/** A count with its noun in singular or plural. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function padLeft(text: string, width: number): string {
  const fitted = shorten(text, width);
  return ' '.repeat(Math.max(width - textWidth(fitted), 0)) + fitted;
}
