import { toolCallOf } from '../../core/view/activity.ts';
import { cleanText } from '../render/clean-text.ts';
import type { Painter } from '../render/symbols.ts';
import { shorten, textWidth } from '../render/text-width.ts';

const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Text whose characters are one column wide each. */
const NARROW = /^[\u0020-\u007e]*$/;

const TAB = '    ';

/** A longer text is cut here; `manyhands logs` prints all of it. */
const LONGEST_TEXT = 50_000;

/** A row of the output of an agent. */
export type TranscriptItem = { id: number; at: number; attempt: number; kind: string; text: string; data?: unknown };

/** A line of the screen and its tone, which selects its color. */
export type TranscriptLine = { text: string; tone: Tone };

type Tone = 'plain' | 'dim' | 'tool' | 'user' | 'good' | 'bad' | 'head';

type Style = { sign: string; tone: Tone; isFolded?: true };

const SIGN_WIDTH = 2;
/** Kinds that are not shown. */
const HIDDEN_KINDS: ReadonlySet<string> = new Set(['usage']);
const PLAIN: Style = { sign: ' ', tone: 'plain' };
const STYLES: Record<string, Style> = {
  text: PLAIN,
  reasoning: { sign: '~', tone: 'dim' },
  'tool-call': { sign: '→', tone: 'tool', isFolded: true },
  'file-change': { sign: '→', tone: 'tool', isFolded: true },
  'tool-result': { sign: '←', tone: 'dim', isFolded: true },
  message: { sign: '»', tone: 'user' },
  question: { sign: '?', tone: 'user' },
  result: { sign: '=', tone: 'good' },
  session: { sign: '·', tone: 'dim', isFolded: true },
  unknown: { sign: '·', tone: 'dim', isFolded: true },
  engine: { sign: '·', tone: 'dim' },
  attempt: { sign: '—', tone: 'head' },
  retry: { sign: '!', tone: 'bad' },
  error: { sign: '!', tone: 'bad' },
  failure: { sign: '!', tone: 'bad' },
  stderr: { sign: '!', tone: 'bad' },
  truncated: { sign: '!', tone: 'bad' },
  'permission-denied': { sign: '!', tone: 'bad' },
};

/** Lines are computed once per row and width. */
const known = new WeakMap<TranscriptItem, { columns: number; lines: TranscriptLine[] }>();

/** A row as lines of the screen: text in full, a tool call and its result in one line each. */
export function transcriptLines(row: TranscriptItem, columns: number): TranscriptLine[] {
  const kept = known.get(row);
  if (kept?.columns === columns) return kept.lines;
  const lines = makeLines(row, columns);
  known.set(row, { columns, lines });
  return lines;
}

/** The line in the color of its tone. */
export function paintLine({ text, tone }: TranscriptLine, colors: Painter): string {
  switch (tone) {
    case 'plain':
      return text;
    case 'dim':
      return colors.dim(text);
    case 'tool':
      return colors.cyan(text);
    case 'user':
      return colors.yellow(text);
    case 'good':
      return colors.green(text);
    case 'bad':
      return colors.red(text);
    case 'head':
      return colors.bold(text);
  }
}

function makeLines(row: TranscriptItem, columns: number): TranscriptLine[] {
  const { sign, tone, isFolded } = STYLES[row.kind] ?? PLAIN;
  if (HIDDEN_KINDS.has(row.kind) || (tone !== 'plain' && row.text.trim() === '')) return [];
  const width = Math.max(columns - SIGN_WIDTH, 1);
  const texts = isFolded ? [shorten(folded(row), width)] : foldText(row.text, width);
  return texts.map((text, index) => ({ text: `${index === 0 ? sign : ' '} ${text}`.trimEnd(), tone }));
}

function folded(row: TranscriptItem): string {
  if (row.kind === 'tool-call') {
    const { tool, detail } = toolCallOf(row);
    return detail === '' ? tool : `${tool}  ${detail}`;
  }
  const [first = '', ...more] = cleanText(row.text).trim().split('\n');
  return more.length === 0 ? first : `${first}  (+${more.length} ${more.length === 1 ? 'line' : 'lines'})`;
}

/** Text of an agent as safe lines of at most `columns` columns; indentation and blank lines are kept. */
function foldText(text: string, columns: number): string[] {
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
