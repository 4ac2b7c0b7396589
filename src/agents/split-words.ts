import { AppError } from '../errors.ts';

/** Single quotes are literal, double quotes and bare text support the backslash; nothing else is special. */
const PIECE = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)|(\s+)|([\s\S])/g;

/** Splits a command line into words with shell quoting, without any expansion. */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [, single, double, escaped, bare, blank, broken] of line.matchAll(PIECE)) {
    if (broken !== undefined) throw new AppError('USAGE', `The quote ${broken} is not closed in: ${line}`, { line });
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + (single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? bare ?? '');
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}
