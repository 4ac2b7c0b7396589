/** Words that say nothing about what a title is about. */
const COMMON = new Set(
  'a an and are as at be but by can could do does for from has have in into is it its no not of on or should so than that the their there this to was were when which will with would'.split(
    ' ',
  ),
);

/** The words of a title by their stems, so that a plural or another form of a verb is the same word. */
export function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return new Set(words.filter((word) => !COMMON.has(word)).map((word) => word.replace(/(ing|ed|es|s)$/, '')));
}

/** The part of the words of the shorter one that both have. */
export function commonPart(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const least = Math.min(a.size, b.size);
  if (least === 0) return a.size === b.size ? 1 : 0;
  return [...a].filter((word) => b.has(word)).length / least;
}
