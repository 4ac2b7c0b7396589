import type { Painter } from '../render/symbols.ts';
import { pad, shorten, textWidth } from '../render/text-width.ts';
import type { Top } from './top.ts';

/** What a picture is drawn from. */
export type View = { top: Top; now: number; colors: Painter };

/** A cell of a row; none is drawn where there is no room for it. */
export type Cell = { text: string; width: number; isRight?: boolean; paint?: (text: string) => string };

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const MOST_HOURS = 48;

/** Cells side by side, as many as fit; the row under the cursor is marked, and stands out where there are colours. */
export function rowLine(cells: readonly Cell[], isChosen: boolean, { top, colors }: View): string {
  const { columns } = top.size;
  const texts: string[] = [];
  const painted: string[] = [];
  let used = 1;
  for (const { text, width, isRight, paint } of cells) {
    const room = Math.min(width, columns - used);
    if (room <= 0) continue;
    const padded = isRight ? padLeft(text, room) : pad(text, room);
    texts.push(padded);
    painted.push(paint?.(padded) ?? padded);
    used += room + 2;
  }
  if (!isChosen || !colors.isColorSupported) return `${isChosen ? '>' : ' '}${painted.join('  ')}`.trimEnd();
  const line = ` ${texts.join('  ')}`;
  return colors.inverse(line + ' '.repeat(Math.max(columns - textWidth(line), 0)));
}

/** Words on the left, and others at the right edge if both have room. */
export function spread(left: string, right: string, { columns, paint }: { columns: number; paint: Paints }): string {
  const room = columns - textWidth(right) - 2;
  if (right === '' || room < 20) return paint.left(shorten(left, columns));
  return `${paint.left(pad(left, room))}  ${paint.right(right)}`;
}

type Paints = { left: (text: string) => string; right: (text: string) => string };

/** How long ago something was, in the largest unit that says something. */
export function agoText(ms: number): string {
  if (ms < MINUTE_MS) return 'now';
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m ago`;
  if (ms < MOST_HOURS * HOUR_MS) return `${Math.floor(ms / HOUR_MS)}h ago`;
  return `${Math.floor(ms / DAY_MS)}d ago`;
}

/** The name of the folder, which is what people call a project. */
export function folderName(path: string): string {
  return path.split('/').findLast((part) => part !== '') ?? path;
}

/** One or many. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function padLeft(text: string, width: number): string {
  const fitted = shorten(text, width);
  return ' '.repeat(Math.max(width - textWidth(fitted), 0)) + fitted;
}
