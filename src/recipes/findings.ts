import type { ReviewOutput } from '../schema/output.ts';

/** A statement about the code, by whoever made it. */
export type Finding = Pick<ReviewOutput['findings'][number], 'title' | 'file' | 'line'> & { description?: string };

/** Words that say nothing about which finding it is. */
const COMMON = new Set(
  'a an and are as at be but by can could do does for from has have in into is it its no not of on or should so than that the their there this to was were when which will with would'.split(
    ' ',
  ),
);

/** Two titles about the same lines share at least this part of the words of the shorter one. */
const SAME_PLACE = 0.3;
/** Two titles that name no line, or lines that are apart, share at least this part. */
const SAME_WORDS = 0.6;
const NEAR_LINES = 5;

/** Whether two findings are about the same defect, also in other words: the same file and lines, and some words in common, or most of them. */
export function isSameFinding(a: Finding, b: Finding): boolean {
  if (a.file !== undefined && b.file !== undefined && a.file !== b.file) return false;
  const isNear = a.file !== undefined && a.file === b.file && areNear(a.line, b.line);
  return commonPart(wordsOf(a.title), wordsOf(b.title)) >= (isNear ? SAME_PLACE : SAME_WORDS);
}

/** Whether a finding of the last round was there before, and was gone in the round between: fixing it brings back another one. */
export function hasReturned(rounds: readonly (readonly Finding[])[]): boolean {
  const last = rounds.at(-1) ?? [];
  const between = rounds.at(-2) ?? [];
  const earlier = rounds.slice(0, -2).flat();
  const isIn = (found: Finding, list: readonly Finding[]) => list.some((other) => isSameFinding(found, other));
  return last.some((found) => isIn(found, earlier) && !isIn(found, between));
}

function areNear(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && Math.abs(a - b) <= NEAR_LINES;
}

/** The words of a title by their stems, so that a plural or another form of a verb is the same word. */
function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return new Set(words.filter((word) => !COMMON.has(word)).map((word) => word.replace(/(ing|ed|es|s)$/, '')));
}

function commonPart(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const least = Math.min(a.size, b.size);
  if (least === 0) return a.size === b.size ? 1 : 0;
  return [...a].filter((word) => b.has(word)).length / least;
}
