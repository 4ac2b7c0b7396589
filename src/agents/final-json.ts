import { parseJsonObject } from './json-object.ts';

/** A fenced block of Markdown, with or without a language. */
const FENCED = /^```[^\n]*\n([\s\S]*?)^```[ \t]*$/gm;
/** So many beginnings of an object are tried from the end; an answer with more is not an object with some words around it. */
const MOST_BEGINNINGS = 200;

/** The last JSON object in an agent's final text, for agents that cannot be held to a schema: alone, fenced, or after words. */
export function finalJson(text: string): Record<string, unknown> | undefined {
  const alone = parseJsonObject(text);
  if (alone !== undefined) return alone;
  const fenced = [...text.matchAll(FENCED)].map((match) => match[1] ?? '').reverse();
  for (const block of fenced) {
    const found = parseJsonObject(block);
    if (found !== undefined) return found;
  }
  return trailing(text);
}

/** Words may stand before the object and after it; of objects within one another the outermost counts. */
function trailing(text: string): Record<string, unknown> | undefined {
  const end = text.lastIndexOf('}');
  if (end === -1) return undefined;
  let found: Record<string, unknown> | undefined;
  let start = text.lastIndexOf('{', end);
  for (let tried = 0; start !== -1 && tried < MOST_BEGINNINGS; tried += 1) {
    found = parseJsonObject(text.slice(start, end + 1)) ?? found;
    start = start === 0 ? -1 : text.lastIndexOf('{', start - 1);
  }
  return found;
}
