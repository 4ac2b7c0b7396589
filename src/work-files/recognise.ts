import { extname } from 'node:path';
import type { DataFormat } from '../recipes/recipe-work-file.ts';
import { workFormats } from '../recipes/registry.ts';
import { separatorOf } from './row-source.ts';
import { isRecord } from './source.ts';

export type Syntax = 'json' | 'jsonl' | 'csv' | 'yaml' | 'toml' | 'markdown';

const BY_NAME: Record<string, Syntax> = {
  '.json': 'json',
  '.jsonc': 'json',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.csv': 'csv',
  '.tsv': 'csv',
  '.yaml': 'yaml',
  '.yml': 'yaml',
  '.toml': 'toml',
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.txt': 'markdown',
};
const TOML_LINE = /^(\[{1,2}[A-Za-z_][^\]]*\]{1,2}\s*(#.*)?|[A-Za-z_][\w."-]*\s*=\s*\S.*)$/;
const DATA_FORMATS = workFormats().flatMap(({ recipe, reader }) => ('read' in reader ? [{ recipe, reader }] : []));
const KEYS = DATA_FORMATS.flatMap(({ reader }) => reader.keys);
const COLUMNS = DATA_FORMATS.flatMap(({ reader }) => reader.columns ?? []);
const WORK_KEY = new RegExp(`^(${KEYS.flatMap((key) => [key, `"${key}"`]).join('|')})\\s*:`, 'm');
const LIST_OR_HEADING = /^\s{0,8}([-*+]|\d{1,9}[.)])\s+\S|^#{1,6}\s+\S/m;

/** How a text is written, judged by the text; its name only breaks ties. */
export function syntaxOf(text: string, name: string): Syntax | undefined {
  const named = BY_NAME[extname(name).toLowerCase()];
  const first = firstLine(text);
  const isProse = !/^[{[]/.test(first) && !isTable(first) && !WORK_KEY.test(text);
  if (named === 'markdown' && isProse) return 'markdown';
  if (TOML_LINE.test(first)) return 'toml';
  if (first.startsWith('{') || first.startsWith('[')) return isJsonLines(text, named) ? 'jsonl' : 'json';
  if (named === 'csv' || isTable(first)) return 'csv';
  if (WORK_KEY.test(text)) return 'yaml';
  if (named !== undefined) return named;
  return LIST_OR_HEADING.test(text) ? 'markdown' : undefined;
}

/** The format of a content, judged by its syntax and its keys. */
export function formatOf(
  syntax: Syntax,
  content: unknown,
): { recipe: string; reader: DataFormat<unknown> } | undefined {
  const isRows = syntax === 'jsonl' || syntax === 'csv';
  return DATA_FORMATS.find(({ reader }) => (isRows ? reader.columns !== undefined : reader.matches(content)));
}

/** The first line with content in a language where `#` and `//` begin comments. */
function firstLine(text: string): string {
  return /^(?![ \t]*(?:#|\/\/))[ \t]*\S.*$/m.exec(text)?.[0].trim() ?? '';
}

function isJsonLines(text: string, named: Syntax | undefined): boolean {
  if (named === 'jsonl') return true;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return (lines.length > 1 || named === undefined) && lines.slice(0, 2).every(isObjectLine);
}

function isObjectLine(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) && formatOf('json', value) === undefined;
  } catch {
    // Not a whole value: it continues in the next line.
    return false;
  }
}

function isTable(header: string): boolean {
  const columns = header.split(separatorOf(header)).map((name) => name.trim().replace(/^"(.*)"$/, '$1'));
  return (
    columns.length > 1 &&
    columns.some((name) => COLUMNS.includes(name)) &&
    columns.every((name) => /^[\w. -]+$/.test(name))
  );
}
