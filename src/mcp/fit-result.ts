import { AppError } from '../errors.ts';
import type { ToolResult } from './tool-server.ts';

/** About 6,000 tokens: clients warn about results above 10,000, and refuse those above 25,000. */
const MOST_CHARACTERS = 24_000;
/** One item of a list may fill at most this part of a page. */
const MOST_OF_ITEM = MOST_CHARACTERS / 3;
/** What long texts and lists inside a part are cut to, until it fits. */
const CUTS: readonly { text: number; list: number }[] = [
  { text: 2_000, list: 100 },
  { text: 500, list: 20 },
  { text: 200, list: 8 },
  { text: 80, list: 3 },
];

/** Where the next page begins: a field of the result (empty: the result itself) and the number of items or characters before it. */
type Position = { field: string; offset: number };

/** The part of a result that fits into a response; its note names the cursor of the next part. */
export function fitResult(value: unknown, cursor: string | undefined): ToolResult {
  const at = cursor === undefined ? undefined : positionOf(cursor);
  if (at === undefined && sizeOf(value) <= MOST_CHARACTERS) return { value };
  const field = at?.field ?? longestField(value);
  const whole = field === '' ? value : recordOf(value)[field];
  if (whole === undefined)
    throw new AppError('INPUT_INVALID', `The result has no field ${field}: the cursor is not valid`);
  const others = field === '' ? {} : shortened({ ...recordOf(value), [field]: undefined }, MOST_CHARACTERS / 2);
  const part = partOf(whole, at?.offset ?? 0, MOST_CHARACTERS - sizeOf(others));
  const shown = field === '' ? part.value : { ...recordOf(others), [field]: part.value };
  return { value: shown, note: noteOf(part, field) };
}

type Part = { value: unknown; from: number; to: number; total: number; unit: string };

function noteOf({ from, to, total, unit }: Part, field: string): string {
  const where = field === '' ? '' : ` of ${field}`;
  const rest = to < total ? ` Call again with the same arguments and cursor "${field}:${to}" for the rest.` : '';
  return `This is a part: ${unit} ${from} to ${to} of ${total}${where}.${rest}`;
}

function partOf(whole: unknown, from: number, most: number): Part {
  if (typeof whole === 'string') return textPart(whole, from, most);
  if (Array.isArray(whole)) {
    const items = takeWhileFits(whole, from, most);
    return { value: items, from, to: from + items.length, total: whole.length, unit: 'items' };
  }
  const entries = Object.entries(recordOf(whole));
  const taken = takeWhileFits(entries, from, most);
  const to = from + taken.length;
  return { value: Object.fromEntries(taken), from, to, total: entries.length, unit: 'fields' };
}

function textPart(whole: string, from: number, most: number): Part {
  let to = Math.min(from + most, whole.length);
  while (sizeOf(whole.slice(from, to)) > most) to = from + Math.floor((to - from) * 0.8);
  // A pair of code units stays together.
  if (to < whole.length && /[\ud800-\udbff]/.test(whole.charAt(to - 1))) to -= 1;
  return { value: whole.slice(from, to), from, to, total: whole.length, unit: 'characters' };
}

/** At least one item, so that a next page always exists. */
function takeWhileFits<T>(items: readonly T[], from: number, most: number): T[] {
  const taken: T[] = [];
  let size = 0;
  for (const item of items.slice(from)) {
    const fitting = shortened(item, MOST_OF_ITEM);
    size += sizeOf(fitting) + 1;
    if (size > most && taken.length > 0) break;
    // Shortening keeps the kind of an entry: a list stays a list.
    taken.push(fitting as T);
  }
  return taken;
}

/** A value whose long texts and lists are cut so that it fits. */
function shortened(value: unknown, most: number): unknown {
  if (sizeOf(value) <= most) return value;
  for (const limits of CUTS) {
    const shorter = cut(value, limits);
    if (sizeOf(shorter) <= most) return shorter;
  }
  const text = JSON.stringify(value);
  return Array.isArray(value)
    ? value.slice(0, 1)
    : `${text.slice(0, most / 4)} ${omitted(text.length - most / 4, 'characters')}`;
}

function cut(value: unknown, limits: { text: number; list: number }): unknown {
  if (typeof value === 'string' && value.length > limits.text)
    return `${value.slice(0, limits.text)} ${omitted(value.length - limits.text, 'characters')}`;
  if (Array.isArray(value)) {
    const items = value.slice(0, limits.list).map((item) => cut(item, limits));
    return value.length > limits.list ? [...items, omitted(value.length - limits.list, 'items')] : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cut(item, limits)]));
}

function omitted(count: number, unit: string): string {
  return `… (${Math.ceil(count)} ${unit} more)`;
}

/** The field that makes a result long; a list or a text has none. */
function longestField(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return '';
  const sizes = Object.entries(value).map(([field, part]): [string, number] => [field, sizeOf(part)]);
  return sizes.reduce<[string, number]>((most, each) => (each[1] > most[1] ? each : most), ['', 0])[0];
}

function positionOf(cursor: string): Position {
  const match = /^(\w*):(\d{1,15})$/.exec(cursor);
  if (match === null) throw new AppError('INPUT_INVALID', 'The cursor is not one that a response named');
  return { field: match[1] ?? '', offset: Number(match[2]) };
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}
