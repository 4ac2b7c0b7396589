/** A piece of a text: one of the searched words, or what is between them. */
export type TextPiece = { text: string; at: number; isMatch: boolean };

/** Matches in one text beyond this number are not marked. */
const MAX_MATCHES = 200;

/** The words of a search text: runs of letters, digits and underscores. */
export function searchWords(text: string): string[] {
  return text.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== '');
}

/** Splits a text at every occurrence of a word, ignoring case. */
export function splitMatches(text: string, words: readonly string[]): TextPiece[] {
  if (words.length === 0) return text === '' ? [] : [{ text, at: 0, isMatch: false }];
  const pattern = new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'giu');
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    if (pieces.length >= MAX_MATCHES * 2) break;
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), at: from, isMatch: false });
    pieces.push({ text: match[0], at: match.index, isMatch: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), at: from, isMatch: false });
  return pieces;
}
