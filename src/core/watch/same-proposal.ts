import type { FoundProposal } from '../../schema/watch/watch-round.ts';
import { commonPart, wordsOf } from '../view/title-words.ts';

type Subject = Pick<FoundProposal, 'title' | 'category' | 'file' | 'line'>;

const NEAR_LINES = 5;
/** Lines that are no farther apart than the parts of one function. */
const CLOSE_LINES = 25;
/** Titles about close lines share at least this part. */
const SAME_PART = 0.3;
/** Titles about other lines of the same file share at least this part of the words of the shorter one. */
const SAME_FILE = 0.6;
/** Titles about different files share at least this part: the file was renamed, or the same is found elsewhere. */
const SAME_WORDS = 0.8;

/** Whether two proposals are the same, also in other words: the same lines and category, or enough of the same words. */
export function isSameProposal(a: Subject, b: Subject): boolean {
  const common = commonPart(titleWords(a), titleWords(b));
  const isCategory = a.category === b.category;
  if (pathOf(a) !== pathOf(b)) return isCategory && common >= SAME_WORDS;
  if (common >= SAME_FILE) return true;
  const distance = Math.abs(a.line - b.line);
  if (distance <= NEAR_LINES) return isCategory || common > 0;
  return isCategory && distance <= CLOSE_LINES && common >= SAME_PART;
}

/** Characters that are not seen, and accents, make no other word. */
function titleWords({ title }: Subject): Set<string> {
  return wordsOf(
    title
      .replaceAll(/\p{Cf}/gu, '')
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, ''),
  );
}

function pathOf({ file }: Subject): string {
  return file
    .replaceAll('\\', '/')
    .replaceAll(/\/(?:\.?\/)+/g, '/')
    .replace(/^\.?\//, '');
}
