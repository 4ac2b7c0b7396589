import { promptText } from '../roles/prompt.ts';
import { parseJsonObject } from './json-object.ts';

/** A fenced block of Markdown, with or without a language. */
const FENCED = /^```[^\n]*\n([\s\S]*?)^```[ \t]*$/gm;
/** How many opening braces are tried from the end; a text with more is not an object with some prose around it. */
const MAX_BEGINNINGS = 200;

/** The last JSON object in an agent's final text, for agents without schema support: alone, fenced, or after prose. */
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

/** Prose may precede and follow the object; of nested objects the outermost counts. */
function trailing(text: string): Record<string, unknown> | undefined {
  const end = text.lastIndexOf('}');
  if (end === -1) return undefined;
  let found: Record<string, unknown> | undefined;
  let start = text.lastIndexOf('{', end);
  for (let tried = 0; start !== -1 && tried < MAX_BEGINNINGS; tried += 1) {
    found = parseJsonObject(text.slice(start, end + 1)) ?? found;
    start = start === 0 ? -1 : text.lastIndexOf('{', start - 1);
  }
  return found;
}

/** The request for structured output to an agent without schema support; empty without a schema. */
export function outputRequest(schema: unknown): string {
  if (schema === undefined) return '';
  return promptText('roles/sections/output-request', { schema: JSON.stringify(schema) });
}
