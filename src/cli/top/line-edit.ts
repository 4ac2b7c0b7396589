import { oneLine } from '../render/clean-text.ts';
import { textWidth } from '../render/text-width.ts';
import type { Key } from './key.ts';

/** A line that is being typed: the text before and after the cursor. */
export type LineEdit = { before: string; after: string };

const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Longer messages can be sent from a file: `manyhands send <run> @file`. */
const LONGEST = 10_000;

/** A line with the cursor at its end. */
export function lineOf(text: string): LineEdit {
  return { before: text, after: '' };
}

/** The whole line. */
export function textOf({ before, after }: LineEdit): string {
  return before + after;
}

/** The line after a key; keys that do not edit leave it unchanged. */
export function edit(line: LineEdit, key: Key): LineEdit {
  if (key.kind === 'text') return insert(line, key.text);
  if (key.kind === 'paste') return insert(line, oneLine(key.text));
  const { before, after } = line;
  switch (key.name) {
    case 'left':
    case 'ctrl-b':
      return { before: withoutLast(before), after: lastOf(before) + after };
    case 'right':
    case 'ctrl-f':
      return { before: before + firstOf(after), after: after.slice(firstOf(after).length) };
    case 'home':
    case 'ctrl-a':
      return { before: '', after: before + after };
    case 'end':
    case 'ctrl-e':
      return { before: before + after, after: '' };
    case 'backspace':
      return { before: withoutLast(before), after };
    case 'delete':
    case 'ctrl-d':
      return { before, after: after.slice(firstOf(after).length) };
    case 'ctrl-u':
      return { before: '', after };
    case 'ctrl-k':
      return { before, after: '' };
    case 'ctrl-w':
      return { before: before.replace(/\S*\s*$/u, ''), after };
    default:
      return line;
  }
}

/** The part of the line around the cursor that fits `columns` columns, and the column of the cursor. */
export function shownPart({ before, after }: LineEdit, columns: number): { text: string; column: number } {
  const graphemes = [...segments.segment(before)].map(({ segment }) => segment);
  let from = graphemes.length;
  let width = 0;
  while (from > 0 && width + textWidth(graphemes[from - 1] ?? '') < columns) {
    from -= 1;
    width += textWidth(graphemes[from] ?? '');
  }
  let text = graphemes.slice(from).join('');
  const column = width;
  for (const { segment } of segments.segment(after)) {
    width += textWidth(segment);
    if (width > columns) break;
    text += segment;
  }
  return { text, column };
}

function insert({ before, after }: LineEdit, text: string): LineEdit {
  return { before: (before + text).slice(0, LONGEST), after };
}

function lastOf(text: string): string {
  return [...segments.segment(text)].at(-1)?.segment ?? '';
}

function withoutLast(text: string): string {
  return text.slice(0, text.length - lastOf(text).length);
}

function firstOf(text: string): string {
  return segments.segment(text)[Symbol.iterator]().next().value?.segment ?? '';
}
