import { stripVTControlCharacters } from 'node:util';

const ESCAPE = '\u001b';
const BELL = '\u0007';
/** Titles, links and the like: an escape, a letter, any text, an end. */
const STRING_SEQUENCE = new RegExp(`${ESCAPE}[\\]PX^_][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?`, 'g');
/** What a reader does not see and which changes what they read: controls, turned writing, nothing-wide letters, tags. */
const UNSEEN =
  /(?![\t\n])[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Text of an agent as a document may hold it: not longer than this, and with everything invisible made visible. */
export function visibleText(text: string, most: number): string {
  const bounded = text.length > most * 4 ? text.slice(0, most * 4) : text;
  const plain = stripVTControlCharacters(bounded.replaceAll(/\r\n?/g, '\n').replaceAll(STRING_SEQUENCE, ''));
  const cut = plain.slice(0, most).toWellFormed();
  const shown = cut.replaceAll(
    UNSEEN,
    (char) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
  const left = text.length - (bounded.length - Math.max(plain.length - most, 0));
  return left > 0 ? `${shown.trimEnd()} … (${left} more characters)` : shown;
}

/** The same on a single line. */
export function visibleLine(text: string, most: number): string {
  return visibleText(text, most).replaceAll(/\s+/g, ' ').trim();
}
