/** What a role's text may refer to; each is inserted as it is and never expanded again. */
export const PLACEHOLDERS = [
  'goal',
  'task',
  'title',
  'id',
  'evidence',
  'checks',
  'conflict',
  'context',
  'instructions',
  'appUrl',
] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

/** A text in pieces; `open` and `close` mark a section that is omitted while its value is empty or false. */
export type TemplatePart<Name extends string = Placeholder> =
  | { kind: 'text'; text: string }
  | { kind: 'value' | 'open' | 'close'; name: Name };

/** A template, or the first error in it with its line (counted from 1). */
export type Template<Name extends string> = { parts: TemplatePart<Name>[] } | { error: string; line: number };

/** A section's mark on a line of its own takes the whole line with it; otherwise a mark is only itself. */
const MARK = /(?<=^|\n)[ \t]*\{\{([#/])([\w-]+)\}\}[ \t]*(?:\r?\n|$)|\{\{([#/]?)([\w-]+)\}\}/g;

/** Reads a template; sections must close in the order in which they opened, and every name must be known. */
export function parseTemplate<Name extends string>(source: string, names: readonly Name[]): Template<Name> {
  const parts: TemplatePart<Name>[] = [];
  const open: { name: Name; line: number }[] = [];
  let cursor = 0;
  for (const match of source.matchAll(MARK)) {
    const line = lineAt(source, match.index);
    const mark = match[1] ?? match[3] ?? '';
    const name = names.find((known) => known === (match[2] ?? match[4]));
    if (name === undefined) return { error: unknownName(match[0].trim(), names), line };
    if (match.index > cursor) parts.push({ kind: 'text', text: source.slice(cursor, match.index) });
    cursor = match.index + match[0].length;
    parts.push({ kind: mark === '#' ? 'open' : mark === '/' ? 'close' : 'value', name });
    if (mark === '#') open.push({ name, line });
    if (mark === '/' && open.pop()?.name !== name) return { error: `{{/${name}}} closes nothing`, line };
  }
  const unclosed = open.at(-1);
  if (unclosed) return { error: `{{#${unclosed.name}}} is never closed`, line: unclosed.line };
  if (cursor < source.length) parts.push({ kind: 'text', text: source.slice(cursor) });
  return { parts };
}

/** The text of a template with its values inserted verbatim and its empty sections omitted; only its own white space is trimmed. */
export function renderTemplate<Name extends string>(
  parts: readonly TemplatePart<Name>[],
  values: Readonly<Partial<Record<Name, string | boolean>>>,
): string {
  const pieces: { text: string; isValue: boolean }[] = [];
  let hidden = 0;
  for (const part of parts) {
    if (part.kind === 'open') hidden += hidden > 0 || isEmpty(values[part.name]) ? 1 : 0;
    else if (part.kind === 'close') hidden -= hidden > 0 ? 1 : 0;
    else if (hidden > 0) continue;
    else if (part.kind === 'text') pieces.push({ text: part.text, isValue: false });
    else pieces.push({ text: String(values[part.name] ?? ''), isValue: true });
  }
  const first = pieces.findIndex(isShown);
  const last = pieces.findLastIndex(isShown);
  return pieces
    .slice(first, last + 1)
    .map(({ text, isValue }, index) => {
      if (isValue) return text;
      const begun = index === 0 ? text.trimStart() : text;
      return index === last - first ? begun.trimEnd() : begun;
    })
    .join('');
}

function isShown({ text, isValue }: { text: string; isValue: boolean }): boolean {
  return isValue ? text !== '' : text.trim() !== '';
}

function isEmpty(value: string | boolean | undefined): boolean {
  return value === undefined || value === false || String(value).trim() === '';
}

function unknownName(mark: string, names: readonly string[]): string {
  return `unknown placeholder ${mark}; known are ${names.join(', ')}`;
}

function lineAt(source: string, offset: number): number {
  return source.slice(0, offset).split('\n').length;
}
