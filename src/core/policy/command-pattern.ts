import { UNKNOWN, UNKNOWN_PROGRAM } from './command-spellings.ts';
import { startsWithWords } from './shell-commands.ts';

/** What only the shell knows: variables, and what matches names of files. */
const UNKNOWN_PART = /\$\{[^}]*\}|\$\w+|\$[@*#?!$-]?|`|[*?~]|\[[^\]]*\]|\{[^}]*\}/g;
/** A command line can have any number of them. */
const MOST_WORDS = 100;

/** Whether a command is plainly that of a pattern: without `*` its first words, with it any text in its place. */
export function isCommandOf(pattern: string, command: string): boolean {
  if (!pattern.includes('*')) return startsWithWords(command, pattern);
  const parts = pattern
    .replace(/ \*$/, '\u0000')
    .split('*')
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  // A final ` *` also matches the command without further words.
  return new RegExp(`^${parts.join('.*').replace('\u0000', '(?: .*)?')}$`, 's').test(command);
}

/**
 * Whether a command may be that of a pattern: also with options before or between the words of the pattern, and where a
 * word is known only to the shell.
 */
export function mayBeCommandOf(pattern: string, command: string): boolean {
  if (isCommandOf(pattern, command)) return true;
  const plain = pattern.replace(/ \*$/, '');
  if (plain.includes('*')) return false;
  const [program = '', ...expected] = plain.split(' ');
  const [named = '', ...words] = command.split(' ');
  if (named !== program && !(named === UNKNOWN_PROGRAM && expected.length > 0)) return false;
  return mayHaveWords(expected, words.slice(0, MOST_WORDS));
}

/** Follows all readings at once: before each expected word there may be options, and each option may have a value. */
function mayHaveWords(expected: readonly string[], words: readonly string[]): boolean {
  let starts = new Set([0]);
  for (const each of expected) {
    for (const at of starts) {
      const word = words[at] ?? '';
      if (!word.startsWith('-')) continue;
      starts.add(at + 1);
      if (!word.includes('=')) starts.add(at + 2);
    }
    starts = new Set([...starts].filter((at) => mayBeWord(each, words[at])).map((at) => at + 1));
  }
  return starts.size > 0;
}

function mayBeWord(expected: string, word: string | undefined): boolean {
  if (word === expected) return true;
  if (word === undefined || !UNKNOWN.test(word)) return false;
  const known = word.split(UNKNOWN_PART);
  // A word of which nothing is known is usually an operand, not an option.
  if (known.every((part) => part === '') && expected.startsWith('-')) return false;
  return new RegExp(`^${known.map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`, 's').test(
    expected,
  );
}
