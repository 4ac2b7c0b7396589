import { cleanText } from '../render/clean-text.ts';
import { textWidth } from '../render/text-width.ts';

const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Text whose characters are one column wide each. */
const NARROW = /^[\u0020-\u007e]*$/;
const TAB = '    ';
/** A longer text is cut here; `manyhands logs` prints all of it. */
const LONGEST_TEXT = 50_000;

/** Text of an agent as safe lines of at most `columns` columns; indentation and blank lines are kept. */
export function foldText(text: string, columns: number): string[] {
  const lines = cleanText(text.slice(0, LONGEST_TEXT)).trimEnd().split('\n');
  const folded = lines.flatMap((line) => foldLine(line.replaceAll('\t', TAB).trimEnd(), Math.max(columns, 1)));
  if (text.length > LONGEST_TEXT) folded.push(`… and ${text.length - LONGEST_TEXT} more characters`.slice(0, columns));
  return folded;
}

function foldLine(line: string, columns: number): string[] {
  if (textWidth(line) <= columns) return [line];
  const lines: string[] = [];
  let rest = line;
  while (rest !== '') {
    const length = fittingLength(rest, columns);
    lines.push(rest.slice(0, length).trimEnd());
    rest = rest.slice(length).trimStart();
  }
  return lines;
}

/** How many characters fit: up to a space if there is one in the second half, else as many as possible. */
function fittingLength(line: string, columns: number): number {
  if (NARROW.test(line)) {
    if (line.length <= columns) return line.length;
    const last = line.lastIndexOf(' ', columns - 1) + 1;
    return last > columns / 2 ? last : columns;
  }
  let width = 0;
  let length = 0;
  let blank = 0;
  for (const { segment, index } of segments.segment(line)) {
    width += textWidth(segment);
    if (width > columns) return blank > length / 2 ? blank : Math.max(length, segment.length);
    length = index + segment.length;
    if (segment === ' ') blank = length;
  }
  return length;
}
