import { stripVTControlCharacters } from 'node:util';

/** Control characters except tab and line breaks, and characters that change the direction of text. */
const DANGEROUS = /(?![\t\n\r])[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** A value from a server whose texts cannot control a terminal, also those that an engine of one's own would be trusted with. */
export function withSafeTexts(value: unknown): unknown {
  if (typeof value === 'string') return safe(value);
  if (Array.isArray(value)) return value.map(withSafeTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [safe(key), withSafeTexts(inner)]));
}

function safe(text: string): string {
  if (!DANGEROUS.test(text)) return text;
  return stripVTControlCharacters(text).replaceAll(new RegExp(DANGEROUS, 'gu'), '');
}
