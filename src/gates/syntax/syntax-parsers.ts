import type { ParserOptions } from '@babel/parser';
import { messageOf } from '../../errors.ts';

/** An error that a parser found in a text. */
export type SyntaxIssue = { line: number | undefined; message: string };
/** A parser in this process; `template`: the text becomes a text of this language only when it is filled in. */
type Parse = (text: string, path: string) => Promise<SyntaxIssue | 'template' | undefined>;

type Plugins = NonNullable<ParserOptions['plugins']>;

/** Files that are JSON with comments although their names do not show it. */
const WITH_COMMENTS =
  /(^|\/)(tsconfig[\w.-]*|jsconfig[\w.-]*|deno|devcontainer|api-extractor[\w.-]*|\.eslintrc|\.jshintrc|language-configuration|turbo|nx|wrangler)\.json$|(^|\/)\.(vscode|devcontainer|zed)\/[^/]*\.json$|\.(jsonc|code-workspace|hujson)$|(^|\/)\.(babelrc|swcrc|eslintrc|jshintrc)$/i;
const NEWER: Plugins = ['decorators-legacy', 'decoratorAutoAccessors', 'deferredImportEvaluation'];

const PARSERS: readonly { files: RegExp; parse: Parse }[] = [
  { files: WITH_COMMENTS, parse: parseCommentedJson },
  { files: /\.(json|webmanifest|geojson|ipynb|map)$/i, parse: parseJson },
  { files: /\.(jsonl|ndjson)$/i, parse: parseJsonLines },
  { files: /\.ya?ml$/i, parse: parseYaml },
  { files: /\.toml$/i, parse: parseToml },
  { files: /\.d\.[cm]?ts$/i, parse: script([['typescript', { dts: true }], ...NEWER]) },
  { files: /\.[cm]?ts$/i, parse: script(['typescript', ...NEWER]) },
  { files: /\.tsx$/i, parse: script(['typescript', 'jsx', ...NEWER]) },
  { files: /\.([cm]?js|jsx)$/i, parse: script(['jsx', ...NEWER]) },
];

/** The parser for a file, if this process has one. */
export function parserFor(path: string): Parse | undefined {
  return PARSERS.find(({ files }) => files.test(path))?.parse;
}

async function parseJson(text: string): Promise<SyntaxIssue | undefined> {
  try {
    JSON.parse(withoutMark(text));
    return undefined;
  } catch (error) {
    const [, position] = /position (\d+)/.exec(messageOf(error)) ?? [];
    const line = position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length;
    return { line, message: messageOf(error) };
  }
}

async function parseJsonLines(text: string): Promise<SyntaxIssue | undefined> {
  for (const [index, line] of text.split('\n').entries()) {
    const issue = line.trim() === '' ? undefined : await parseJson(line);
    if (issue !== undefined) return { ...issue, line: index + 1 };
  }
  return undefined;
}

async function parseCommentedJson(text: string): Promise<SyntaxIssue | undefined> {
  const { parse, printParseErrorCode } = await import('jsonc-parser');
  const errors: { error: number; offset: number; length: number }[] = [];
  parse(withoutMark(text), errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return undefined;
  return { line: text.slice(0, first.offset).split('\n').length, message: printParseErrorCode(first.error) };
}

/** Aliases are not followed, so that a small file cannot become a large one. */
async function parseYaml(text: string): Promise<SyntaxIssue | 'template' | undefined> {
  const { parseAllDocuments } = await import('yaml');
  const documents = parseAllDocuments(text, { logLevel: 'silent', prettyErrors: true });
  const first = Array.isArray(documents) ? documents.flatMap(({ errors }) => errors)[0] : undefined;
  if (first === undefined) return undefined;
  if (/\{\{|\{%|<%/.test(text)) return 'template';
  return { line: first.linePos?.[0].line, message: first.message.split('\n')[0] ?? first.code };
}

async function parseToml(text: string): Promise<SyntaxIssue | undefined> {
  const { parse, TomlError } = await import('smol-toml');
  try {
    parse(withoutMark(text));
    return undefined;
  } catch (error) {
    const line = error instanceof TomlError ? error.line : undefined;
    return { line, message: messageOf(error).split('\n')[0] ?? '' };
  }
}

function script(plugins: Plugins): Parse {
  return async (text) => {
    const { parse } = await import('@babel/parser');
    const types: Plugins = /@flow\b/.test(text.slice(0, 2_000)) && !plugins.includes('typescript') ? ['flow'] : [];
    try {
      parse(text, {
        sourceType: 'unambiguous',
        allowReturnOutsideFunction: true,
        allowUndeclaredExports: true,
        plugins: [...plugins, ...types],
      });
      return undefined;
    } catch (error) {
      return { line: lineIn(error), message: messageOf(error).replace(/ \(\d+:\d+\)$/, '') };
    }
  };
}

function lineIn(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('loc' in error)) return undefined;
  const { loc } = error;
  if (typeof loc !== 'object' || loc === null || !('line' in loc)) return undefined;
  return typeof loc.line === 'number' ? loc.line : undefined;
}

/** Many programs write a byte order mark, and most read it. */
function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
