export type Part = { part: string; at: number; isHit: boolean };

/** Beyond so many hits in one text the rest is left unmarked. */
const MOST_HITS = 200;

/** The words of a search text; each may be anywhere, in any case. */
export function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== '');
}

/** A text in parts, those that are one of the words apart from those that are not. */
export function splitAt(text: string, words: readonly string[]): Part[] {
  if (words.length === 0) return [{ part: text, at: 0, isHit: false }];
  const pattern = new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'giu');
  const parts: Part[] = [];
  let from = 0;
  for (const hit of text.matchAll(pattern)) {
    if (parts.length >= MOST_HITS * 2) break;
    if (hit.index > from) parts.push({ part: text.slice(from, hit.index), at: from, isHit: false });
    parts.push({ part: hit[0], at: hit.index, isHit: true });
    from = hit.index + hit[0].length;
  }
  if (from < text.length) parts.push({ part: text.slice(from), at: from, isHit: false });
  return parts;
}
