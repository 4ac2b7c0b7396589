import type { FoundProposal } from '../../schema/watch/watch-round.ts';
import { commonPart, wordsOf } from '../view/title-words.ts';

type Subject = Pick<FoundProposal, 'title' | 'category' | 'file' | 'line'>;

const NEAR_LINES = 5;
/** Titles about other lines of the same file share at least this part of the words of the shorter one. */
const SAME_FILE = 0.6;
/** Titles about different files share at least this part: the file was renamed, or the same is found elsewhere. */
const SAME_WORDS = 0.8;

/** Whether two proposals are the same, also in other words: the same lines and category, or mostly the same words. */
export function isSameProposal(a: Subject, b: Subject): boolean {
  const common = commonPart(wordsOf(a.title), wordsOf(b.title));
  if (a.file !== b.file) return a.category === b.category && common >= SAME_WORDS;
  if (common >= SAME_FILE) return true;
  return a.category === b.category && Math.abs(a.line - b.line) <= NEAR_LINES;
}
