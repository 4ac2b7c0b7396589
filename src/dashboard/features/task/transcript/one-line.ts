const MAIN_ARGUMENTS = [
  'command',
  'cmd',
  'file_path',
  'filePath',
  'path',
  'notebook_path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
  'text',
] as const;
const MAX_LENGTH = 300;

/** The most informative argument of a tool call, on one line. */
export function mainArgument(input: unknown): string {
  if (typeof input === 'string') return oneLine(input);
  if (typeof input !== 'object' || input === null) return input === undefined ? '' : oneLine(String(input));
  for (const key of MAIN_ARGUMENTS) {
    const value: unknown = Reflect.get(input, key);
    const text = textOf(value);
    if (text !== '') return oneLine(text);
  }
  const first = Object.values(input).find((value) => typeof value === 'string' && value !== '');
  if (typeof first === 'string') return oneLine(first);
  return Object.keys(input).length === 0 ? '' : oneLine(JSON.stringify(input));
}

/** The first non-empty line of a text, without control characters. */
export function firstLine(text: string): string {
  return oneLine(
    text
      .slice(0, 4_000)
      .split('\n')
      .find((line) => line.trim() !== '') ?? '',
  );
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value.join(' ') : '';
}

function oneLine(text: string): string {
  const line = text
    .slice(0, MAX_LENGTH * 4)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
}
