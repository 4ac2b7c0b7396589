import type { z } from 'zod';
import { nearest } from '../schema/nearest.ts';
import { allowedAt, keysAt } from './describe.ts';
import { isPlain } from './merge.ts';

/** A validation error as text: the path, and whether its value, its name or its absence is wrong. */
export type ValidationIssue = { path: (string | number)[]; reason: string; about: 'value' | 'key' | 'missing' };

type Issue = z.core.$ZodIssue;

/** Keys that had another name once. */
const MOVED: ReadonlyMap<string, string> = new Map([
  ['limits.outputBytes', 'limits.output.maxBytes'],
  ['workspace.symlinkDirs', 'workspace.copyDirs'],
]);

/** What the schema objects to: what was found, what is allowed, and the nearest key for one that does not exist. */
export function validationIssuesOf(
  issues: readonly Issue[],
  prefix: readonly (string | number)[] = [],
): ValidationIssue[] {
  return issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path.filter((part) => typeof part !== 'symbol')];
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(path, key));
    if (issue.code === 'invalid_union') return unionIssues(issue, path);
    if (issue.code === 'invalid_key') {
      return [{ path, reason: `not a valid name: ${issue.issues[0]?.message ?? issue.message}`, about: 'key' }];
    }
    return [validationIssueOf(issue, path)];
  });
}

/** A path as it is typed: `checks[0].run`. */
export function pathText(path: readonly (string | number)[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
}

function unknownKey(path: (string | number)[], key: string): ValidationIssue {
  const moved = MOVED.get(pathText([...path, key]));
  if (moved !== undefined) return { path: [...path, key], reason: `unknown key; it is ${moved} now`, about: 'key' };
  const known = keysAt(path);
  const suggested = nearest(key, known);
  const help =
    suggested === undefined
      ? `known keys here: ${known.join(', ')}`
      : `did you mean ${pathText([...path, suggested])}?`;
  return { path: [...path, key], reason: `unknown key; ${help}`, about: 'key' };
}

function unionIssues(issue: Issue & { code: 'invalid_union' }, path: (string | number)[]): ValidationIssue[] {
  const deep = issue.errors.find((errors) =>
    errors.some((inner) => inner.path.length > 0 || inner.code !== 'invalid_type'),
  );
  if (deep !== undefined) return validationIssuesOf(deep, path);
  return [validationIssueOf(issue, path)];
}

function validationIssueOf(issue: Issue, path: (string | number)[]): ValidationIssue {
  return { path, reason: reasonOf(issue, path), about: issue.input === undefined ? 'missing' : 'value' };
}

function reasonOf(issue: Issue, path: (string | number)[]): string {
  if (issue.code === 'custom' || issue.code === 'invalid_format')
    return `found ${foundText(issue.input)}: ${issue.message}`;
  const allowed = allowedAt(path) ?? issue.message;
  if (issue.input === undefined) return `missing; allowed: ${allowed}`;
  if (issue.input === '') return `found an empty text; allowed: ${allowed}`;
  return `found ${foundText(issue.input)}; allowed: ${allowed}${isQuoted(issue) ? ' (without quotes)' : ''}`;
}

function isQuoted(issue: Issue): boolean {
  return (
    issue.code === 'invalid_type' &&
    typeof issue.input === 'string' &&
    /^(true|false|-?\d+(\.\d+)?)$/i.test(issue.input)
  );
}

function foundText(input: unknown): string {
  if (typeof input === 'string')
    return `the text ${JSON.stringify(input.length > 60 ? `${input.slice(0, 60)}…` : input)}`;
  if (Array.isArray(input)) return input.length === 0 ? 'an empty list' : 'a list';
  if (isPlain(input)) return 'a map';
  return String(input);
}
