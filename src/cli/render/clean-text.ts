import { stripVTControlCharacters } from 'node:util';

/** Control characters except tab and newline, and characters that change the text direction. */
const DANGEROUS = /(?![\t\n])[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const ESCAPE = '\u001b';
const BELL = '\u0007';
/** String sequences such as titles and links: an escape, a letter, any text, a terminator. */
const STRING_SEQUENCE = new RegExp(`${ESCAPE}[\\]PX^_][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?`, 'g');

/** The text without escape sequences and control characters, so that it is safe to print on a terminal. */
export function cleanText(text: string): string {
  const lines = text.replaceAll(/\r\n?/g, '\n').replaceAll(STRING_SEQUENCE, '');
  return stripVTControlCharacters(lines).replaceAll(DANGEROUS, '');
}

/** Safe text on a single line. */
export function oneLine(text: string): string {
  return cleanText(text).replaceAll(/\s+/g, ' ').trim();
}
