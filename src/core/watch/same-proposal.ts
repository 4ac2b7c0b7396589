import type { FoundProposal } from '../../schema/watch/watch-round.ts';
import { commonPart, wordsOf } from '../view/title-words.ts';

type Subject = Pick<FoundProposal, 'title' | 'category' | 'file' | 'line'>;

/** Lines about which two proposals of one category are the same in any words. */
const NEAR_LINES = 3;
/** Lines that are no farther apart than the parts of one function. */
const CLOSE_LINES = 25;
/** Titles about close lines share at least this part, and more than one word. */
const SAME_PART = 0.5;
/** Titles about other lines of the same file share at least this part of the words of the shorter one. */
const SAME_FILE = 0.6;
/** Titles about different files share at least this part: the file was renamed, or the same is found elsewhere. */
const SAME_WORDS = 0.8;

/** Files of which each line is about something else, such as a dependency. */
const LISTS =
  /(?:^|\/)(?:package|composer)\.json$|(?:^|\/)requirements[\w-]*\.txt$|(?:^|\/)(?:go\.mod|Gemfile|Cargo\.toml|pyproject\.toml)$/i;
/** Names from code: `quoted`, called(), inCamelCase, with_underscore. */
const CODE_NAME = /`[^`]+`|\b\w+(?=\(\))|\b[a-z]+[A-Z]\w*|\b\w+_\w+/g;

/** Whether two proposals are the same, also in other words: the same lines and category, or enough of the same words. */
export function isSameProposal(a: Subject, b: Subject): boolean {
  const [words, others] = [titleWords(a), titleWords(b)];
  const common = commonPart(words, others);
  const isCategory = a.category === b.category;
  const path = pathOf(a);
  if (path !== pathOf(b)) return isCategory && common >= SAME_WORDS;
  const distance = Math.abs(a.line - b.line);
  if (distance > NEAR_LINES && nameDifferentCode(a, b)) return false;
  if (common >= SAME_FILE) return true;
  if (distance <= (LISTS.test(path) ? 0 : NEAR_LINES)) return isCategory || common > 0;
  const isOneWord = [...words].filter((word) => others.has(word)).length < 2;
  return isCategory && distance <= CLOSE_LINES && common >= SAME_PART && !isOneWord;
}

/** Whether both titles name something of the code, and nothing that both name. */
function nameDifferentCode(a: Subject, b: Subject): boolean {
  const [names, others] = [a, b].map(({ title }) =>
    (title.match(CODE_NAME) ?? []).map((name) => name.replaceAll(/[`()]/g, '').toLowerCase()),
  );
  if (!names?.length || !others?.length) return false;
  return !names.some((name) => others.includes(name));
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
