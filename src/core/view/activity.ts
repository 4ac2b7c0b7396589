/** The part of a transcript row that describes what an agent does. */
type TranscriptLine = { kind: string; text: string; data?: unknown };

const MAX_CHARS = 200;
/** The inputs of tools that name their subject, the most specific first. */
const SUBJECT_KEYS = [
  'command',
  'cmd',
  'file_path',
  'path',
  'filePath',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
];
/** Sequences that move the cursor or set colours, as terminals know them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are removed
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.)/g;

/** What an agent does, in one line of at most 200 characters; null for a row that does not describe it. */
export function activityOf(row: TranscriptLine): string | null {
  switch (row.kind) {
    case 'text':
    case 'reasoning':
    case 'question':
    case 'result':
    case 'file-change':
    case 'retry':
      return oneLine(row.text);
    case 'permission-denied':
      return oneLine(`denied: ${row.text}`);
    case 'tool-call': {
      const { tool, detail } = toolCallOf(row);
      return oneLine(detail === '' ? tool : `${tool}: ${detail}`);
    }
    default:
      return null;
  }
}

/** The tool of a call and its subject. */
export function toolCallOf({ text, data }: TranscriptLine): { tool: string; detail: string } {
  return { tool: oneLine(text) ?? 'tool', detail: oneLine(detailOf(inputOf(data))) ?? '' };
}

/** The first non-empty line of a text, without control characters, truncated. */
function oneLine(text: string): string | null {
  const plain = text.slice(0, 4_000).replaceAll(ESCAPES, '');
  for (const line of plain.split(/[\r\n]+/)) {
    const clean = line
      .replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
    if (clean !== '') return clean.length <= MAX_CHARS ? clean : `${clean.slice(0, MAX_CHARS - 1)}…`;
  }
  return null;
}

function inputOf(data: unknown): unknown {
  return typeof data === 'object' && data !== null && 'input' in data ? data.input : undefined;
}

function detailOf(input: unknown): string {
  if (typeof input === 'string') return input;
  if (typeof input !== 'object' || input === null) return '';
  for (const key of SUBJECT_KEYS) {
    const value: unknown = Reflect.get(input, key);
    if (typeof value === 'string' && value !== '') return value;
    if (Array.isArray(value) && value.length > 0) return value.join(' ');
  }
  return Object.values(input).find((value) => typeof value === 'string' && value !== '') ?? '';
}
