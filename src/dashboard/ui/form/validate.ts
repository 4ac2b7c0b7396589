import type { Field, Range } from './field.ts';
import { isSchema } from './json-schema.ts';

/** Validation issues of a form by the dotted path of the field; `''` is the whole form. */
export type ValidationIssues = ReadonlyMap<string, string>;

export const NO_ISSUES: ValidationIssues = new Map();

/** The path of a nested field, in the server's notation. */
export function pathTo(path: string, key: string | number): string {
  return path === '' ? String(key) : `${path}.${key}`;
}

/** Finds missing required values and invalid values. The server validates everything again. */
export function findIssues(field: Field, value: unknown, path = ''): Map<string, string> {
  const found = new Map<string, string>();
  validate(field, value, { path, found });
  return found;
}

type ValidationContext = { path: string; found: Map<string, string> };

function validate(field: Field, value: unknown, context: ValidationContext): void {
  if (value === undefined && field.kind !== 'group') return;
  const below = (key: string | number): ValidationContext => ({
    path: pathTo(context.path, key),
    found: context.found,
  });
  switch (field.kind) {
    case 'group': {
      const values = isSchema(value) ? value : {};
      for (const { key, field: own, isRequired, title } of field.entries) {
        const held = values[key];
        if (isRequired && isBlank(held)) context.found.set(below(key).path, `${title} is required.`);
        else if (held !== undefined) validate(own, held, below(key));
      }
      return;
    }
    case 'list':
      if (Array.isArray(value)) for (const [index, item] of value.entries()) validate(field.item, item, below(index));
      return;
    case 'map':
      if (isSchema(value)) for (const [key, item] of Object.entries(value)) validate(field.item, item, below(key));
      return;
    default: {
      const issue = issueOf(field, value);
      if (issue !== undefined) context.found.set(context.path, issue);
    }
  }
}

function isBlank(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && value.trim() === '');
}

function issueOf(field: Field, value: unknown): string | undefined {
  switch (field.kind) {
    case 'number':
      return numberIssue(field, value);
    case 'duration':
      return typeof value === 'number' ? undefined : 'Enter a duration such as 90s, 10m, 1h30m or 2d.';
    case 'date-time':
      return typeof value === 'number' ? undefined : 'Enter a date and a time.';
    case 'choice':
      return typeof value === 'string' && field.options.includes(value)
        ? undefined
        : `Must be one of ${field.options.join(', ')}.`;
    case 'text':
      return typeof value === 'string' && field.pattern !== undefined && !matchesPattern(field.pattern, value)
        ? `Must match ${field.pattern}`
        : undefined;
    default:
      return undefined;
  }
}

function numberIssue({ isInteger, range }: { isInteger: boolean; range: Range }, value: unknown): string | undefined {
  const isNumber = typeof value === 'number' && Number.isFinite(value) && (!isInteger || Number.isInteger(value));
  const { min, max, isExclusive } = range;
  const isLow = isNumber && min !== undefined && (isExclusive ? value <= min : value < min);
  const isHigh = isNumber && max !== undefined && value > max;
  if (isNumber && !isLow && !isHigh) return undefined;
  return `Must be a ${isInteger ? 'whole number' : 'number'}${rangeText(range)}.`;
}

/** Describes a range, with a leading space. */
export function rangeText({ min, max, isExclusive }: Range): string {
  const from =
    min === undefined ? '' : isExclusive ? ` above ${min}` : max === undefined ? ` of at least ${min}` : ` from ${min}`;
  const upTo =
    max === undefined
      ? ''
      : min === undefined || isExclusive
        ? ` of at most ${max.toLocaleString('en-US')}`
        : ` to ${max.toLocaleString('en-US')}`;
  return `${from}${from !== '' && upTo !== '' && isExclusive ? ' and' : ''}${upTo}`;
}

/** A pattern that this browser does not support is left to the server. */
function matchesPattern(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}

/** Parses issues that a server reports as `path: reason`. */
export function parseServerIssues(reported: unknown): Map<string, string> {
  const found = new Map<string, string>();
  for (const each of Array.isArray(reported) ? reported : []) {
    if (typeof each !== 'string') continue;
    const at = each.indexOf(': ');
    found.set(each.slice(0, Math.max(0, at)), at < 0 ? each : each.slice(at + 2));
  }
  return found;
}

/** Whether a field is a list of short texts, edited one per line. */
export function isLines(field: Field): boolean {
  return field.kind === 'list' && field.item.kind === 'text' && !field.item.isLong;
}

/** The first issue of a field, or of a value nested in it. */
export function issueAt(issues: ValidationIssues, path: string, isInsideToo: boolean): string | undefined {
  const own = issues.get(path);
  if (own !== undefined || !isInsideToo) return own;
  for (const [at, text] of issues) {
    if (!at.startsWith(`${path}.`)) continue;
    const line = Number(at.slice(path.length + 1));
    return Number.isInteger(line) ? `Line ${line + 1}: ${text}` : text;
  }
  return undefined;
}
