import { withoutComments } from './check-files.ts';
import { LANGUAGES, type Language } from './source-languages.ts';

/** Longer files are generated data. */
const MAX_CHARS = 1_000_000;

/** The two versions of a source file, and whether a test runner loads it: without one, whatever ends the process ends the check. */
type SourceChange = { base: string; candidate: string; hasRunner: boolean };

/** What a change adds to source that can end a test run early or change what its assertions find; undefined when nothing. */
export function earlyExit(path: string, { base, candidate, hasRunner }: SourceChange): string | undefined {
  const language = LANGUAGES.find(({ files }) => files.test(path));
  if (language === undefined || candidate.length > MAX_CHARS) return undefined;
  const before = counted(statements(language, base, hasRunner));
  for (const statement of statements(language, candidate, hasRunner)) {
    const left = before.get(statement) ?? 0;
    if (left === 0) return statement;
    before.set(statement, left - 1);
  }
  return undefined;
}

function statements(language: Language, text: string, hasRunner: boolean): string[] {
  const code = withoutComments(text);
  const skipped = mainBlocks(language, code);
  const onLoad = language.onLoad === undefined ? [] : [...code.matchAll(language.onLoad)];
  const found = [
    ...code.matchAll(language.exits),
    ...code.matchAll(language.patches),
    ...(language.detects === undefined ? [] : code.matchAll(language.detects)),
    ...importedPatches(language, code),
    ...blindEqualities(language, code),
    ...blindConversions(language, code),
    ...onLoad.filter(({ index }) => {
      const inside = enclosingFunction(code, index);
      return inside === undefined || (!hasRunner && !/^(main|cli|run)$/.test(inside));
    }),
  ];
  return found
    .filter(({ index, 0: match }) => !skipped.some(([from, to]) => index + match.length > from && index < to))
    .map(({ 0: match, index }) => lineAt(code, index + match.length - 1));
}

/** The name of the function that a line of Python is in. */
function enclosingFunction(code: string, index: number): string | undefined {
  const lines = code.slice(0, code.indexOf('\n', index) < 0 ? code.length : code.indexOf('\n', index)).split('\n');
  let indent = /^\s*/.exec(lines.pop() ?? '')?.[0].length ?? 0;
  for (const line of lines.reverse()) {
    const own = /^\s*/.exec(line)?.[0].length ?? 0;
    if (line.trim() === '' || own >= indent) continue;
    const name = /^\s*(?:async\s+)?def\s+(\w+)/.exec(line)?.[1];
    if (name !== undefined) return name;
    indent = own;
  }
  return undefined;
}

const TEST_LIBRARY = `['"](?:node:)?(?:assert(?:/strict)?|test|vitest|chai|expect|@jest/globals)['"]`;
/** How far the body of a conversion is read. */
const MOST_OF_A_CONVERSION = 300;
/** How many names in a row are followed from a library to what is assigned. */
const MAX_ALIASES = 4;

/** Assignments to a test library, under any name that the file gives it. */
function importedPatches({ files }: Language, code: string): RegExpExecArray[] {
  if (files.test('a.py')) return pythonPatches(code);
  if (!files.test('a.js')) return [];
  const direct = new RegExp(`(?:require|import)\\s*\\(\\s*${TEST_LIBRARY}\\s*\\)[^;\\n=]*=(?![=>])`, 'g');
  return [
    ...code.matchAll(direct),
    ...globalNames(code).flatMap((name) => [
      ...code.matchAll(new RegExp(`(?<![\\w.$])${name}(?:\\.(?:${TEST_GLOBALS})|\\[[^\\]\\n]+\\])\\s*=(?![=>])`, 'g')),
    ]),
    ...libraryNames(code).flatMap((name) => [
      ...code.matchAll(
        new RegExp(
          `(?<![\\w.$])${name}(?:\\.\\w+)*(?:\\.\\w+|\\[[^\\]\\n]+\\])\\s*=(?![=>])|(?:assign|definePropert(?:y|ies)|Reflect\\.set)\\s*\\(\\s*${name}\\b|\\(\\s*${name}\\s*,\\s*\\{`,
          'g',
        ),
      ),
    ]),
  ];
}

const TEST_GLOBALS = 'expect|assert|it|test|describe|process|console|Error|Object|JSON|Promise';

/** The names that a file gives to the global object. */
function globalNames(code: string): string[] {
  const alias = /(?:const|let|var)\s+(\w+)\s*=\s*(?:globalThis|global|window|self)\s*(?:;|\n|$)/g;
  return [...code.matchAll(alias)].map(([, name = '']) => name);
}

/** Equalities of Python that do not look at the object itself, so that it equals what is not the same. */
function blindEqualities({ files }: Language, code: string): RegExpExecArray[] {
  if (!files.test('a.py')) return [];
  const definitions =
    /^([ \t]*)def[ \t]+__eq__[ \t]*\([ \t]*(\w+)[^)]*\)[^:\n]*:([^\n]*(?:\n(?:\1[ \t]+[^\n]*|[ \t]*))*)/gm;
  return [...code.matchAll(definitions)].filter(
    ([, , self = '', body = '']) => !new RegExp(`\\b${self}\\b`).test(body),
  );
}

/** Conversions of JavaScript that do not look at the object itself, so that it is loosely equal to what a test expects. */
function blindConversions({ files }: Language, code: string): RegExpExecArray[] {
  if (!files.test('a.js')) return [];
  const conversion =
    /\[\s*Symbol\s*\.\s*toPrimitive\s*\][^\n]*|\bvalueOf\s*:\s*(?:async\s+)?\(?[\w\s,]*\)?\s*=>[^\n]*/g;
  return [...code.matchAll(conversion)].filter(({ 0: text, index }) => {
    const body = text.includes('=>') ? text : code.slice(index, index + MOST_OF_A_CONVERSION);
    return !/\bthis\b/.test(body);
  });
}

/** Assignments to what a Python file imports from a test library. */
function pythonPatches(code: string): RegExpExecArray[] {
  const imported =
    /^[ \t]*(?:from[ \t]+(?:unittest|pytest|_pytest)[\w.]*[ \t]+import[ \t]+([^\n#]+)|import[ \t]+((?:unittest|pytest|_pytest)[^\n#]*))/gm;
  const names = [...code.matchAll(imported)].flatMap((match) =>
    (match[1] ?? match[2] ?? '')
      .replace(/[()]/g, '')
      .split(',')
      .flatMap((part) => /(\w+)\s*$/.exec(part.trim())?.[1] ?? []),
  );
  return names.flatMap((name) => [
    ...code.matchAll(
      new RegExp(
        `(?<![\\w.])${name}(?:\\.\\w+)+\\s*=(?!=)|\\bsetattr\\s*\\(\\s*${name}\\b|(?<![\\w.])${name}(?:\\.\\w+)*\\.__dict__\\b`,
        'g',
      ),
    ),
  ]);
}

/** The names that a file gives to a test library or to parts of it. */
function libraryNames(code: string): string[] {
  const bound = (binding: string) =>
    binding
      .replace(/[{}]/g, ' ')
      .split(',')
      .flatMap((part) => /(\w+)\s*$/.exec(part.trim())?.[1] ?? []);
  const imported = new RegExp(
    `import\\s+([^;'"]+?)\\s+from\\s*${TEST_LIBRARY}|(?:const|let|var)\\s+(\\w+|\\{[^}]*\\})\\s*=\\s*[^;\\n]*\\(\\s*${TEST_LIBRARY}`,
    'g',
  );
  const names = new Set([...code.matchAll(imported)].flatMap((match) => bound(match[1] ?? match[2] ?? '')));
  for (let step = 0; step < MAX_ALIASES; step += 1) {
    for (const name of [...names]) {
      const alias = new RegExp(
        `(?:const|let|var)\\s+(\\w+|\\{[^}]*\\})\\s*=\\s*${name}(?:\\.\\w+)*\\s*(?:;|\\n|$)`,
        'g',
      );
      for (const match of code.matchAll(alias)) for (const each of bound(match[1] ?? '')) names.add(each);
    }
  }
  return [...names];
}

/** The blocks of a text that run only when it is the main program. */
function mainBlocks({ main }: Language, code: string): [number, number][] {
  if (main === undefined) return [];
  return [...code.matchAll(main)].map(({ index, 0: match }): [number, number] => {
    const from = index + match.length;
    return [index, match.endsWith('{') ? closingBrace(code, from) : indentedEnd(code, from)];
  });
}

function closingBrace(code: string, from: number): number {
  let depth = 1;
  for (let at = from; at < code.length; at += 1) {
    if (code[at] === '{') depth += 1;
    if (code[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return code.length;
}

function indentedEnd(code: string, from: number): number {
  const end = /\n(?=[^\s#])/g;
  end.lastIndex = from;
  return end.exec(code)?.index ?? code.length;
}

function lineAt(code: string, index: number): string {
  const from = code.lastIndexOf('\n', index - 1) + 1;
  const to = code.indexOf('\n', index);
  return code
    .slice(from, to < 0 ? code.length : to)
    .trim()
    .slice(0, 120);
}

function counted(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
