import { testRule } from '../core/finish/file-kind.ts';

/** Whether a file's name or folder says that it checks, builds or tests something. */
export function isCheckLike(path: string): boolean {
  const parts = path.split('/');
  const name = (parts.pop() ?? '').replace(/\.\w+$/, '');
  return CHECK_FOLDERS.test(`/${parts.join('/')}/`) || wordsOf(name).some((word) => CHECK_WORDS.test(word));
}

const CHECK_WORDS =
  /^(checks?|checker|tests?|testing|tester|verify|verification|validate|lint|linter|ci|specs?|asserts?|assertions?|smoke|e2e|gate|qa|typecheck|coverage|precommit|runall|runtests?)$/;
const CHECK_FOLDERS = /\/(scripts?|tools?|ci|\.ci|hack|checks?|qa|\.github|tests?|testing)\//i;
export const SOURCE_FOLDERS = /(^|\/)(src|lib|app|apps|pkg|internal|cmd|source|server|client|web|public|components)\//i;
/** What a program that judges others contains: assertions, or an exit code of its own. */
const JUDGES =
  /\bassert\b|['"](node:)?(test|assert)(\/strict)?['"]|\bprocess\.exit|\bsys\.exit|\bos\._exit|\bunittest\b|\bpytest\b|\bexpect\s*\(|AssertionError|SystemExit|\bexit\s*\(?\s*[1-9]|\babort\b|\bdie\b/;
/** What a module that only serves tests contains. */
const ASSERTS =
  /\buse\s+Test(?:::|2::)|['"](node:)?assert(\/strict)?['"]|['"](chai|vitest|jest|@jest\/globals|node:test|expect|should|power-assert|testify)['"]|\b(import|from)\s+(pytest|unittest)\b|"testing"|\bAssertionError\b|\bactual\b[\s\S]{0,200}\bexpected\b|\bexpected\b[\s\S]{0,200}\bactual\b|\b(function|const|let|def|func|fn|sub)\s+\(?(?:assert|expect|should|same|equal|equals|eq|fail)(?:[A-Z_]\w*)?\b|\b(?:check|verify|ensure|must|ok)\w*\s*(?:=\s*)?\(\s*(?<left>\w+)\s*,\s*(?<right>\w+)[\s\S]{0,200}?\b\k<left>\s*[!=]==?\s*\k<right>\b|\(\s*(?<one>\w+)\s*,\s*(?<other>\w+)[^)\n]*\)[\s\S]{0,120}?(?:\b\k<one>\s*[!=]==?\s*\k<other>\b|\(\s*\k<one>\s*,\s*\k<other>\s*\))[\s\S]{0,80}?\b(?:throw|raise|panic|Fatalf?|fail)\b/;
const FAILS =
  /\bthrow\b|\braise\b|\bassert\b|\bexit(Code)?\b|\bfail\b|\bpanic\b|\bexpect\b|\babort\b|\bdie\b|\breject\b|t\.(Error|Fatal)|[!=]==?(?![=>])/i;
/** What a program contains that is also started by itself. */
const HAS_MAIN = /__main__|\bargv\b|require\.main|import\.meta\.(main|url)|^#!/;
const EXPECTED = /expect|golden|reference|snapshot|fixture|baseline|pattern/i;
const HELPER_WORDS =
  /^(helpers?|asserts?|assertions?|expects?|expectations?|matchers?|testing|testutils?|testutil|testlib|harness|fixtures?|support|mocks?|stubs?|fakes?)$/;

/** Whether a program that a check starts is what the check is about, and not what decides it. */
export function isSubject(path: string, text: string | undefined, entries: ReadonlySet<string>): boolean {
  if (entries.has(path)) return true;
  if (isCheckLike(path)) return false;
  return SOURCE_FOLDERS.test(path) || text === undefined || !JUDGES.test(text);
}

/** Whether a module that only tests load is a helper of theirs: it makes assertions, or its name says so. */
export function isHelper(path: string, text: string, entries: ReadonlySet<string>): boolean {
  const parts = path.split('/');
  const named = parts.flatMap((part) => wordsOf(part.replace(/\.\w+$/, ''))).some((word) => HELPER_WORDS.test(word));
  if (named || entries.has(path)) return named;
  return ASSERTS.test(text) || (JUDGES.test(text) && !SOURCE_FOLDERS.test(path) && !HAS_MAIN.test(text));
}

/** Whether a compared file holds what is expected: its name says so, or that of no other compared file does. */
export function isExpectation(path: string, compared: readonly string[]): boolean {
  return EXPECTED.test(path) || (compared.length > 0 && !compared.some((other) => EXPECTED.test(other)));
}

/** Files that hold no program and no prose. */
const DATA =
  /\.(jsonc?|json5|ya?ml|toml|ini|cfg|conf|txt|list|lst|csv|tsv|env|properties|xml|snap|out|golden)$|(^|\/)[^./]+$/i;
/** Names of what a check measures by. */
const MEASURES =
  /^(thresholds?|limits?|budgets?|baselines?|rules?|ignored?|ignores?|ignorelist|allow|allowed|allowlist|whitelist|deny|denylist|skip|skips|skipped|skiplist|exclude[ds]?|excludes|quarantined?)$/;
/** Names of what tests compare with. */
const GOLDEN =
  /^(expected|expectations?|goldens?|goldenfiles?|snapshots?|snaps?|baselines?|approved|approvals?|cassettes?|recordings?)$/;

/** Whether data that a check's script reads decides the check: it names tests, or its name says that a check measures by it. */
export function isCheckData(path: string, text: string, paths: ReadonlySet<string>): boolean {
  if (!DATA.test(path)) return false;
  const name = (path.split('/').at(-1) ?? '').replace(/\.\w+$/, '');
  if (isCheckLike(path) || wordsOf(name).some((word) => MEASURES.test(word))) return true;
  const named = text.slice(0, MAX_DATA_CHARS).split(/[\s"',;:=[\]{}]+/);
  return named.some((word) => testRule(word) === 'name' && paths.has(word.replace(/^\.\//, '')));
}

/** Whether a file holds data, and no program and no prose. */
export function isData(path: string): boolean {
  return DATA.test(path);
}

/** How a script of a shell begins, or a part of one that others read. */
const SHELL_TEXT = /^#!|^\s*[\w-]+\s*\(\)\s*\{|^\s*(?:export|set|trap|exit|return|unset|alias)\b/m;

/** Whether a file is a script of a shell or of make, by its name, or else by its text. */
export function isShellScript(path: string, text: string): boolean {
  return /\.(sh|bash|zsh|ksh|mk)$/i.test(path) || (/(^|\/)[^./]+$/.test(path) && SHELL_TEXT.test(text));
}

/** Functions of a shell, on one line or until a brace at the beginning of a line. */
const SHELL_FUNCTIONS =
  /^[ \t]*(?:function[ \t]+)?[\w-]+[ \t]*\(\)[ \t]*\{(?:[^\n]*\}[ \t]*$|[^\n]*\n(?:(?!\})[^\n]*\n)*\}[ \t]*$)/gm;

/** Whether a script that a check uses is what the check is about: it only has functions, and none of them judges or ends anything. */
export function isScriptSubject(path: string, text: string): boolean {
  if (isCheckLike(path) || JUDGES.test(text) || /\b(trap|exec|exit)\b/.test(text)) return false;
  return (
    text
      .replaceAll(/^[ \t]*#.*$/gm, '')
      .replaceAll(SHELL_FUNCTIONS, '')
      .trim() === ''
  );
}

/** Whether a data file holds what tests expect, by its name or that of its folder. */
export function isGolden(path: string): boolean {
  const words = path.split('/').flatMap((part) => wordsOf(part));
  return !/\.(md|mdx|rst|adoc|html?)$/i.test(path) && words.some((word) => GOLDEN.test(word));
}

const MAX_DATA_CHARS = 100_000;

/** Whether a helper could fail a test before and cannot any more. */
export function isEmptied(base: string, candidate: string): boolean {
  return FAILS.test(withoutNames(base)) && !FAILS.test(withoutNames(candidate));
}

/** A program's text without comments and without the names of what it defines: `expect` can be empty. */
function withoutNames(text: string): string {
  return withoutComments(text).replace(/\b(function\s*\*?|const|let|var|def|func|fn|sub|class)\s+\w+/g, '$1');
}

/** A program's text without comments on lines of their own; a comment after code stays, so that no text between quotes can hide code. */
export function withoutComments(text: string): string {
  return text.replace(/^[ \t]*\/\*[\s\S]*?\*\/[ \t]*$/gm, '').replace(/^[ \t]*(\/\/|#(?!\[|!|\s*define)).*$/gm, '');
}

/** The files that package.json names as what the package is: its entry points and programs. */
export function packageEntries(text: string | undefined): Set<string> {
  const found = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value === 'string') found.add(value.replace(/^\.\//, ''));
    else if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) collect(inner);
  };
  try {
    const parsed: unknown = JSON.parse(text ?? '{}');
    if (typeof parsed !== 'object' || parsed === null) return found;
    for (const [key, value] of Object.entries(parsed))
      if (['main', 'module', 'browser', 'bin', 'exports', 'types'].includes(key)) collect(value);
  } catch {
    // Not JSON: it names nothing, and the guard holds the file itself when it changes.
  }
  return found;
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** Whether a link leads to something that another checkout does not have. */
export function leavesRepository(path: string, target: string): boolean {
  if (target.startsWith('/') || /^[a-z]:|^~|\\/i.test(target)) return true;
  const parts = path.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return true;
  }
  return parts[0] === '.git';
}
