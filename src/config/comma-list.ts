import { allowedAt } from './describe.ts';

const LIST = 'list of text';
const WORD = /^[^\s,]+$/;

/** Words between commas where a list of texts is wanted, as a list; commas in parentheses part nothing. Any other value stays. */
export function commaList(path: readonly string[], value: unknown): unknown {
  if (typeof value !== 'string' || allowedAt(path) !== LIST) return value;
  const words = value.split(/,(?![^(]*\))/).map((word) => word.trim());
  return words.every((word) => WORD.test(word.replaceAll(/\([^)]*\)/g, ''))) ? words : value;
}
