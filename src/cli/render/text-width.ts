import { oneLine } from './clean-text.ts';

/** Made when first needed: most commands print plain text, and making it takes 10 ms. */
let segmenter: Intl.Segmenter | undefined;
/** Characters of one column that never join with their neighbours: Latin letters, dashes, arrows, boxes, and the marks that we print. */
const NARROW = /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2190-\u21ff\u2500-\u25fc\u2713\u2717]*$/;

function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** The width of a text in terminal columns. */
export function textWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes(text)) width += graphemeWidth(segment);
  return width;
}

/** The text, safe and on one line, in at most `columns` columns; an ellipsis marks a cut. */
export function shorten(text: string, columns: number): string {
  const line = oneLine(text);
  if (columns <= 0) return '';
  if (textWidth(line) <= columns) return line;
  if (NARROW.test(line)) return `${line.slice(0, columns - 1).trimEnd()}…`;
  let kept = '';
  let width = 0;
  for (const { segment } of graphemes(line)) {
    width += graphemeWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** The text in exactly `columns` columns. */
export function pad(text: string, columns: number): string {
  const fitted = shorten(text, columns);
  return fitted + ' '.repeat(Math.max(columns - textWidth(fitted), 0));
}

/** The text on as many lines as it needs, broken between words; no line for an empty text. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of oneLine(text).split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(last) + textWidth(word) < columns) lines[lines.length - 1] = `${last} ${word}`;
    else if (word !== '') lines.push(shorten(word, columns));
  }
  return lines;
}

/** Its expressions are made here, when first needed: sets of Unicode take a millisecond. */
function graphemeWidth(grapheme: string): number {
  if (/^[\p{Mark}\p{Format}\u200b]+$/u.test(grapheme)) return 0;
  if (/\p{Emoji_Presentation}|\ufe0f|\p{Regional_Indicator}{2}/u.test(grapheme)) return 2;
  return isWide(grapheme) ? 2 : 1;
}

/** Whether it is in the blocks that terminals draw two columns wide: Hangul, CJK, kana, full-width forms and their extensions. */
function isWide(grapheme: string): boolean {
  return /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u.test(
    grapheme,
  );
}
