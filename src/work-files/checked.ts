import type { z } from 'zod';
import { nearest } from '../schema/nearest.ts';
import type { InputErrorCode, InputErrors } from './input-errors.ts';
import type { InputNotes } from './input-notes.ts';
import { isRecord, type Path, type Source } from './source.ts';

/** A file that is being read: its values, what is wrong with them, and what its owner should know. */
export type Reading = { source: Source; errors: InputErrors; notes: InputNotes };

type Issue = z.core.$ZodIssue;
type ObjectSchema = z.ZodObject;

const LONGEST_SHOWN = 60;
/** Keys that other tools use with the same meaning. To leave one out would change what runs, or who runs it. */
const SYNONYMS = [
  ['needs', 'depends_on', 'dependsOn', 'depends', 'dependencies', 'deps', 'requires', 'after', 'prerequisites'],
  ['agent', 'provider'],
];

/** The value at a path as the schema requires it; what does not fit is reported with what is allowed. Empty keys count as absent. */
export function checked<S extends z.ZodType>(
  reading: Reading,
  at: { path: Path; value: unknown; about?: 'key' },
  schema: S,
): z.output<S> | undefined {
  const parsed = schema.safeParse(withoutEmpty(at.value), { reportInput: true });
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) addIssue(reading, at, issue);
  return undefined;
}

/** Like `checked`, for a schema whose keys are all optional: keys with errors are left out, so that the rest is checked too. */
export function checkedKeys<S extends ObjectSchema>(
  reading: Reading,
  at: { path: Path; value: unknown },
  schema: S,
): z.output<S> | undefined {
  const value = withoutEmpty(at.value);
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) addIssue(reading, at, issue);
  const wrong = new Set(parsed.error.issues.map(({ path }) => path[0]));
  const kept = Object.entries(isRecord(value) ? value : {}).filter(([key]) => !wrong.has(key));
  return schema.safeParse(Object.fromEntries(kept)).data;
}

/**
 * Reports unknown keys: in our own formats as errors, in another tool's file as notes, unless the key looks like a
 * misspelt one.
 */
export function reportUnknownKeys(
  { source, errors, notes }: Reading,
  at: { path: Path; value: unknown; known: readonly string[]; foreign: boolean },
): void {
  if (!isRecord(at.value)) return;
  for (const key of Object.keys(at.value)) {
    if (at.known.includes(key)) continue;
    const suggested = synonymOf(key, at.known) ?? nearest(key, at.known);
    if (at.foreign && suggested === undefined) {
      notes.addAt(source, [...at.path, key], `The key ${shownValue(key)} is not understood and was left out.`);
      continue;
    }
    const help = suggested === undefined ? `known keys here: ${at.known.join(', ')}` : `did you mean "${suggested}"?`;
    errors.addAt(source, [...at.path, key], { code: 'unknown_key', reason: `unknown key; ${help}`, about: 'key' });
  }
}

function synonymOf(key: string, known: readonly string[]): string | undefined {
  return SYNONYMS.find((names) => names.includes(key))?.find((name) => known.includes(name));
}

/** Notes the keys of a map that have no effect here, each with the reason. */
export function noteUnusedKeys(
  { source, notes }: Reading,
  { path, value }: { path: Path; value: unknown },
  { reasons, prefix = '' }: { reasons: Readonly<Record<string, string>>; prefix?: string },
): void {
  for (const key of isRecord(value) ? Object.keys(value) : []) {
    if (reasons[key] !== undefined)
      notes.addAt(source, [...path, key], `${prefix}${key} is not used: ${reasons[key]}.`);
  }
}

/** The keys of an object's schema. */
export function keysOf(schema: ObjectSchema): string[] {
  return Object.keys(schema.shape);
}

/** A value as it is shown in a message: short, on one line. */
function shownValue(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > LONGEST_SHOWN ? `${value.slice(0, LONGEST_SHOWN)}…` : value);
  }
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (isRecord(value)) return 'a map';
  return value instanceof Date ? 'a date' : String(value);
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([, entry]) => entry !== null && entry !== undefined);
  return Object.fromEntries(kept.map(([key, entry]) => [key, withoutEmpty(entry)]));
}

function addIssue({ source, errors }: Omit<Reading, 'notes'>, base: { path: Path; about?: 'key' }, issue: Issue): void {
  const path = [...base.path, ...issue.path.filter((part) => typeof part !== 'symbol')];
  const inner = issue.code === 'invalid_union' ? deepest(issue) : undefined;
  if (inner !== undefined) {
    for (const part of inner) addIssue({ source, errors }, { path }, part);
    return;
  }
  const missing = issue.input === undefined || issue.input === null;
  const allowed = allowedText(issue);
  errors.addAt(source, path, {
    about: base.about ?? 'value',
    code: base.about === 'key' ? 'invalid_id' : codeOf(issue, path, missing),
    reason: missing ? `missing; ${allowed}` : `found ${shownValue(issue.input)}; ${allowed}`,
  });
}

/** The branch of a union that is probably intended: the one that failed inside and not at once. */
function deepest(issue: Issue & { code: 'invalid_union' }): Issue[] | undefined {
  return issue.errors.find((errors) => errors.some(({ path, code }) => path.length > 0 || code !== 'invalid_type'));
}

function codeOf(issue: Issue, path: Path, missing: boolean): InputErrorCode {
  if (missing) return 'missing_field';
  if (path.at(-1) === 'id') return 'invalid_id';
  return issue.code === 'too_big' && issue.origin === 'string' ? 'too_large' : 'invalid_value';
}

function allowedText(issue: Issue): string {
  if (issue.code === 'invalid_type') return `must be ${article(issue.expected)}`;
  if (issue.code === 'invalid_value') return `must be ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
  if (issue.code === 'too_big' && issue.origin === 'array') return `must have at most ${issue.maximum} entries`;
  if (issue.code === 'too_small' && issue.origin === 'array') return `must have at least ${issue.minimum} entries`;
  if (issue.code === 'too_big' && issue.origin !== 'string') return `must be at most ${issue.maximum}`;
  if (issue.code === 'too_small' && issue.origin !== 'string') {
    return `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
  }
  return issue.message;
}

function article(expected: string): string {
  const names: Record<string, string> = {
    string: 'a text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    array: 'a list',
    object: 'a map of keys',
    record: 'a map of keys',
  };
  return names[expected] ?? expected;
}
