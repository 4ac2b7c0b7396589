import { stripVTControlCharacters } from 'node:util';

/** Control characters but tab and newline, and those that turn the direction of writing. */
const DANGEROUS = /(?![\t\n])[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const ESCAPE = '\u001b';
const BELL = '\u0007';
/** Titles, links and the like: an escape, a letter, any text, an end. */
const STRING_SEQUENCE = new RegExp(`${ESCAPE}[\\]PX^_][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?`, 'g');

/** Text of an agent, made harmless for a terminal: without escape sequences and control characters. */
export function cleanText(text: string): string {
  const lines = text.replaceAll(/\r\n?/g, '\n').replaceAll(STRING_SEQUENCE, '');
  return stripVTControlCharacters(lines).replaceAll(DANGEROUS, '');
}

/** Harmless text on a single line. */
export function oneLine(text: string): string {
  return cleanText(text).replaceAll(/\s+/g, ' ').trim();
}
