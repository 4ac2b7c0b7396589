import { commonPart, wordsOf } from '../core/view/title-words.ts';
import type { ReviewOutput } from '../schema/output.ts';

/** A statement about the code, by whoever made it. */
export type Finding = Pick<ReviewOutput['findings'][number], 'title' | 'file' | 'line'> & { description?: string };

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
