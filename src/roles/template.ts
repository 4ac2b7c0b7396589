/** What a role's text may refer to; each is inserted as it is and never expanded again. */
export const PLACEHOLDERS = [
  'goal',
  'task',
  'title',
  'evidence',
  'checks',
  'conflict',
  'context',
  'instructions',
  'appUrl',
] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

/** A role's text in pieces; `open` and `close` mark a section that disappears while its placeholder is empty. */
export type TemplatePart = { kind: 'text'; text: string } | { kind: 'value' | 'open' | 'close'; name: Placeholder };

/** A template, or the first mistake in it with its line (counted from 1). */
export type Template = { parts: TemplatePart[] } | { mistake: string; line: number };

/** A section's mark on a line of its own takes the whole line with it; otherwise a mark is only itself. */
const MARK = /(?<=^|\n)[ \t]*\{\{([#/])([\w-]+)\}\}[ \t]*(?:\r?\n|$)|\{\{([#/]?)([\w-]+)\}\}/g;

/** Reads a role's text; sections must close in the order in which they opened, and every name must be known. */
export function parseTemplate(source: string): Template {
  const parts: TemplatePart[] = [];
  const open: { name: Placeholder; line: number }[] = [];
  let cursor = 0;
  for (const match of source.matchAll(MARK)) {
    const line = lineAt(source, match.index);
    const mark = match[1] ?? match[3] ?? '';
    const name = PLACEHOLDERS.find((known) => known === (match[2] ?? match[4]));
    if (name === undefined) return { mistake: unknownName(match[0].trim()), line };
    if (match.index > cursor) parts.push({ kind: 'text', text: source.slice(cursor, match.index) });
    cursor = match.index + match[0].length;
    parts.push({ kind: mark === '#' ? 'open' : mark === '/' ? 'close' : 'value', name });
    if (mark === '#') open.push({ name, line });
    if (mark === '/' && open.pop()?.name !== name) return { mistake: `{{/${name}}} closes nothing`, line };
  }
  const unclosed = open.at(-1);
  if (unclosed) return { mistake: `{{#${unclosed.name}}} is never closed`, line: unclosed.line };
  if (cursor < source.length) parts.push({ kind: 'text', text: source.slice(cursor) });
  return { parts };
}

function unknownName(mark: string): string {
  return `unknown placeholder ${mark}; known are ${PLACEHOLDERS.join(', ')}`;
}

function lineAt(source: string, offset: number): number {
  return source.slice(0, offset).split('\n').length;
}
