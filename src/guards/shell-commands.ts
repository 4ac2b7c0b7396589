/** One command of a shell text. */
export interface ShellCommand {
  /** Its words without quotes; a substitution inside a word is `UNKNOWN`. */
  words: readonly string[];
  /** Folders that may be its working directory: the text's own, and those that the text enters. */
  folders: readonly string[];
  /** Files that it reads as its input, with `<`. */
  inputs: readonly string[];
  /** Whether another command compares its output, so that it is what is checked and not what checks. */
  isJudged: boolean;
  /** Whether a shell runs its output. */
  isFedToShell: boolean;
}

/** A part of a word whose value is known only when the text is run. */
export const UNKNOWN = '\u0000';

/** Longer texts of commands are not written by hand. */
const MAX_CHARS = 200_000;
const MAX_DEPTH = 4;
/** Commands whose outcome depends on the text that they are given. */
const COMPARES = /^(grep|egrep|fgrep|rg|test|\[\[?|diff|cmp|comm|jq|wc|awk|sed|tail|head)$/;
/** Texts by which a script reports its own verdict: one whose output is searched for them checks, and is not what is checked. */
const REPORTS_TESTS = /pass|fail|\bok\b|success|error|\btests?\b/i;
/** The first line of a shell script. */
export const SHELL_TEXT = /^#!.*\b(ba|da|z|k|a)?sh\b/;
export const SHELLS = /^(?:.*\/)?(?:ba|da|z|k|a)?sh$/;

type Piece = { words: string[]; inputs: string[]; isPiped: boolean; nested: string[] };

/** The commands of a shell text, also those inside substitutions, subshells and `sh -c`. */
export function shellCommands(text: string, folder = '', depth = 0): ShellCommand[] {
  const pieces = splitPieces(text.slice(0, MAX_CHARS).replace(/\\\r?\n/g, ' '));
  const values = assignedValues(pieces);
  const folders = [folder];
  const found: ShellCommand[] = [];
  pieces.forEach((piece, index) => {
    const words = withoutKeywords(piece.words.map((word) => expand(word, values)));
    const entered = enteredFolder(words);
    if (entered !== undefined) folders.push(joinPath(folder, entered));
    const next = piece.isPiped ? withoutKeywords(pieces[index + 1]?.words ?? []) : [];
    const isJudged = isComparison(next) && !REPORTS_TESTS.test(next.join(' '));
    const isFedToShell = SHELLS.test(next[0] ?? '');
    const known = [...folders];
    const inputs = piece.inputs.map((input) => expand(input, values));
    if (words.length > 0) found.push({ words, folders: known, inputs, isJudged, isFedToShell });
    if (depth >= MAX_DEPTH) return;
    const isQuestion = isComparison(words);
    for (const inner of [...piece.nested, ...scriptArguments(words)])
      for (const command of shellCommands(inner, folder, depth + 1))
        found.push({
          ...command,
          folders: [...new Set([...known, ...command.folders])],
          isJudged: command.isJudged || (isQuestion && piece.nested.includes(inner)),
        });
  });
  return found;
}

/** A path without `.`, `..` and empty parts; undefined where it leaves the repository. */
function normalPath(path: string): string | undefined {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

/** A path relative to a folder, as a path of the repository. */
export function joinPath(folder: string, path: string): string {
  return normalPath(`${folder}/${path}`) ?? normalPath(path.replace(/^(\.\.\/)+/, '')) ?? '';
}

/** A command as the first step of a chain: one line, shortened. */
export function commandLabel(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= 80 ? line : `${line.slice(0, 79)}…`;
}

function isComparison(words: readonly string[]): boolean {
  const [program = ''] = withoutKeywords(words);
  return COMPARES.test(program.split('/').at(-1) ?? '');
}

function splitPieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let piece: Piece = { words: [], inputs: [], isPiped: false, nested: [] };
  let word: string | undefined;
  let isInput = false;
  const endWord = () => {
    if (word !== undefined) (isInput ? piece.inputs : piece.words).push(word);
    if (word !== undefined) isInput = false;
    word = undefined;
  };
  const endPiece = (isPiped = false) => {
    endWord();
    if (piece.words.length + piece.nested.length > 0) pieces.push({ ...piece, isPiped });
    piece = { words: [], inputs: [], isPiped: false, nested: [] };
    isInput = false;
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '\\') word = (word ?? '') + (text[++at] ?? '');
    else if (char === "'") {
      const end = closing(text, at + 1, "'");
      word = (word ?? '') + text.slice(at + 1, end);
      at = end;
    } else if (char === '"') {
      const quoted = doubleQuoted(text, at + 1);
      word = (word ?? '') + quoted.text;
      piece.nested.push(...quoted.nested);
      at = quoted.end;
    } else if (char === '`' || (char === '$' && text[at + 1] === '(')) {
      const inner = substitution(text, at);
      word = (word ?? '') + UNKNOWN;
      piece.nested.push(inner.text);
      at = inner.end;
    } else if (/\s/.test(char) && char !== '\n') endWord();
    else if (char === '#' && word === undefined) at = closing(text, at, '\n') - 1;
    else if (char === '|' && text[at + 1] !== '|') endPiece(true);
    else if (/[\n;&|(){}]/.test(char) && !(/[{}]/.test(char) && isInsideWord(text, at))) endPiece();
    else if (char === '<' || char === '>') {
      if (/^\d+$/.test(word ?? '')) word = undefined;
      endWord();
      isInput = char === '<' && !/[<(]/.test(text[at + 1] ?? '');
      if (char === '>' || text[at + 1] === '<') at = skipTarget(text, at);
    } else word = (word ?? '') + char;
  }
  endPiece();
  return pieces;
}

/** `${NAME}` and `a{b,c}` are parts of a word; `{ a; }` is a group. */
function isInsideWord(text: string, at: number): boolean {
  const [before = ' ', after = ' '] = [text[at - 1], text[at + 1]];
  return text[at] === '{' ? /[^\s;&|(]/.test(before) || /[^\s]/.test(after) : /[^\s;]/.test(before);
}

function skipTarget(text: string, at: number): number {
  const rest = /^(?:>>?|<<<?)[&|-]?\s*(?:"[^"]*"|'[^']*'|[^\s;&|()]*)/.exec(text.slice(at, at + 400));
  return at + (rest?.[0].length ?? 1) - 1;
}

function closing(text: string, from: number, char: string): number {
  const end = text.indexOf(char, from);
  return end < 0 ? text.length : end;
}

function doubleQuoted(text: string, from: number): { text: string; nested: string[]; end: number } {
  let content = '';
  const nested: string[] = [];
  for (let at = from; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '"') return { text: content, nested, end: at };
    if (char === '\\') content += text[++at] ?? '';
    else if (char === '`' || (char === '$' && text[at + 1] === '(')) {
      const inner = substitution(text, at);
      content += UNKNOWN;
      nested.push(inner.text);
      at = inner.end;
    } else content += char;
  }
  return { text: content, nested, end: text.length };
}

function substitution(text: string, at: number): { text: string; end: number } {
  if (text[at] === '`') {
    const end = closing(text, at + 1, '`');
    return { text: text.slice(at + 1, end), end };
  }
  let depth = 0;
  for (let end = at + 1; end < text.length; end += 1) {
    if (text[end] === '(') depth += 1;
    if (text[end] === ')') depth -= 1;
    if (depth === 0) return { text: text.slice(at + 2, end), end };
  }
  return { text: text.slice(at + 2), end: text.length };
}

const KEYWORD = /^(if|then|else|elif|while|until|do|time|!|exec|command|builtin|nohup|function|done|fi|in)$/;

/** The words from the program's name on: without keywords and assignments before it. */
function withoutKeywords(words: readonly string[]): string[] {
  let first = 0;
  while (first < words.length && (KEYWORD.test(words[first] ?? '') || /^\w+\+?=/.test(words[first] ?? ''))) first += 1;
  return words.slice(first);
}

function assignedValues(pieces: readonly Piece[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const { words } of pieces)
    for (const word of words) {
      const [, name, value] = /^(?:--)?([A-Za-z_]\w*)=([\s\S]*)$/.exec(word) ?? [];
      if (name !== undefined && value !== undefined) values.set(name, value);
    }
  return values;
}

function expand(word: string, values: ReadonlyMap<string, string>): string {
  return word.replace(/\$(?:\{(\w+)[^}]*\}|(\w+)|[@*#?$!-])/g, (_, braced?: string, plain?: string) => {
    const value = values.get(braced ?? plain ?? '');
    return value === undefined || value.includes('$') ? UNKNOWN : value;
  });
}

function enteredFolder(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => /^(cd|pushd|-C|--prefix|--dir|--cwd|--directory)$/.test(word));
  const [, joined] = words.map((word) => /^--(?:prefix|dir|cwd|directory)=(.+)$/.exec(word)).find(Boolean) ?? [];
  const folder = joined ?? (at < 0 ? undefined : words[at + 1]);
  return folder?.replaceAll(new RegExp(`^.*${UNKNOWN}/?`, 'g'), '');
}

/** The texts that a command gives to a shell. */
function scriptArguments(words: readonly string[]): string[] {
  return words.flatMap((word, index) => {
    if (index > 0 && words[index - 1] === '-c' && words.some((other) => SHELLS.test(other))) return [word];
    return /\s/.test(word) &&
      /^(concurrently|npm-run-all|run-p|run-s|nodemon|timeout|xargs|parallel|watch)$/.test(words[0] ?? '')
      ? [word]
      : [];
  });
}

/** The folders of the repository that a text of commands puts before the others in PATH. */
export function programFolders(text: string): string[] {
  return [...text.matchAll(/\bPATH=("[^"\n]*"|'[^'\n]*'|[^\s;&|]+)/g)].flatMap(([, value = '']) =>
    value
      .replace(/["']/g, '')
      .split(':')
      .map((part) => part.replace(/^(\$\{?PWD\}?|\$\(pwd\)|`pwd`|\.)(\/|$)/, ''))
      .filter((part) => !/^\/|[$`~]/.test(part)),
  );
}
