import { toolCallOf } from '../../core/view/activity.ts';
import { cleanText } from '../render/clean-text.ts';
import type { Painter } from '../render/symbols.ts';
import { shorten } from '../render/text-width.ts';
import { foldText } from './fold-text.ts';

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
