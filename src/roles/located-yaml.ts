import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import type { z } from 'zod';
import { AppError, type ErrorCode, messageOf } from '../errors.ts';

/** The origin of a YAML text, and the row of the error table for its errors. */
export interface YamlSource {
  file: string;
  code: ErrorCode;
  /** The line of the file on which the text begins. */
  firstLine?: number;
}

type Issue = z.core.$ZodIssue;
type YamlIssue = { line: number; reason: string };

const LONGEST_TEXT = 1_000_000;
const MAX_ALIASES = 50;
const MAX_ISSUES_SHOWN = 5;

/** Reads YAML that a person wrote; every error is reported with file, line and reason. Alias bombs, duplicate keys and `__proto__` are refused. */
export function parseLocatedYaml<T>(text: string, schema: z.ZodType<T>, source: YamlSource): T {
  if (text.length > LONGEST_TEXT) refuse(source, [{ line: 1, reason: `longer than ${LONGEST_TEXT} characters` }]);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, prettyErrors: false });
  const lineOf = (offset: number) => lines.linePos(offset).line;
  const broken = [...document.errors, ...document.warnings].map(({ pos, message }) => ({
    line: lineOf(pos[0]),
    reason: message,
  }));
  if (broken.length > 0) refuse(source, broken);
  refuseForbiddenKeys(document, (offset) =>
    refuse(source, [{ line: lineOf(offset), reason: 'the key __proto__ is not allowed' }]),
  );
  const parsed = schema.safeParse(toPlain(document, source), { reportInput: true });
  if (parsed.success) return parsed.data;
  return refuse(
    source,
    parsed.error.issues.map((issue) => ({ line: lineOf(offsetOf(document, issue)), reason: reasonOf(issue) })),
  );
}

function refuseForbiddenKeys(document: Document, found: (offset: number) => void): void {
  visit(document, {
    Pair: (_, { key }) => {
      if (isScalar(key) && key.value === '__proto__') found(key.range?.[0] ?? 0);
    },
  });
}

function toPlain(document: Document, source: YamlSource): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    return refuse(source, [{ line: 1, reason: messageOf(error) }]);
  }
}

function offsetOf(document: Document, issue: Issue): number {
  const path = issue.path.filter((part) => typeof part !== 'symbol');
  if (issue.code === 'unrecognized_keys') {
    const parent = document.getIn(path, true);
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && key.value === issue.keys[0])
      : undefined;
    if (pair && isScalar(pair.key)) return pair.key.range?.[0] ?? 0;
  }
  for (let depth = path.length; depth >= 0; depth -= 1) {
    const node = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

function reasonOf(issue: Issue): string {
  const where = issue.path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
  const what =
    issue.code === 'unrecognized_keys'
      ? `unknown key ${issue.keys.map((key) => `"${key}"`).join(', ')}`
      : issue.message;
  return where === '' ? what : `${where}: ${what}`;
}

function refuse(source: YamlSource, issues: YamlIssue[]): never {
  const located = issues.map(({ line, reason }) => ({ line: line + (source.firstLine ?? 1) - 1, reason }));
  const shown = located.slice(0, MAX_ISSUES_SHOWN).map(({ line, reason }) => `${source.file}:${line}: ${reason}`);
  if (located.length > shown.length) shown.push(`and ${located.length - shown.length} more`);
  throw new AppError(source.code, shown.join('\n'), { file: source.file, mistakes: located });
}
