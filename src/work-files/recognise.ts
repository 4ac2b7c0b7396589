import { extname } from 'node:path';
import type { WorkFormat } from '../schema/work-file.ts';
import { separatorOf } from './row-source.ts';
import { isRecord } from './source.ts';

export type Syntax = 'json' | 'jsonl' | 'csv' | 'yaml' | 'toml' | 'markdown';

const BULK_COLUMNS = ['prompt', 'instruction', 'template', 'target'];
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
const WORK_KEY = /^(tasks|nodes|features|"tasks"|"nodes"|"features")\s*:/m;
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

/** What a content is, judged by its keys. */
export function formatOf(value: unknown): WorkFormat | undefined {
  if (Array.isArray(value)) return value.some(isBulkItem) ? 'bulk' : 'features';
  if (!isRecord(value)) return undefined;
  if ('features' in value) return 'features';
  if ('nodes' in value) return 'workflow';
  if ('dag' in value || 'meta' in value || isRecord(value.tasks)) return 'dag';
  if (Array.isArray(value.tasks)) return value.tasks.some(isDagTask) ? 'dag' : 'tasks';
  return 'tasks' in value ? 'tasks' : undefined;
}

/** The first line that says something in a language where `#` and `//` begin comments. */
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
    return isRecord(value) && formatOf(value) === undefined;
  } catch {
    // Not a whole value: it goes on in the next line.
    return false;
  }
}

function isTable(header: string): boolean {
  const columns = header.split(separatorOf(header)).map((name) => name.trim().replace(/^"(.*)"$/, '$1'));
  return (
    columns.length > 1 &&
    columns.some((name) => BULK_COLUMNS.includes(name)) &&
    columns.every((name) => /^[\w. -]+$/.test(name))
  );
}

function isBulkItem(entry: unknown): boolean {
  return isRecord(entry) && BULK_COLUMNS.some((key) => key in entry);
}

function isDagTask(entry: unknown): boolean {
  return isRecord(entry) && ['instruction', 'prompt', 'prompt_template', 'inputs'].some((key) => key in entry);
}
