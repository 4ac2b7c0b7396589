import { isSchema } from './json-schema.ts';

/** One change: the new value at a path; without a value it is removed. */
export type Change = { path: string[]; value?: unknown };

/** The changes that turn one value into another, key by key. */
export function changesBetween(before: unknown, after: unknown, path: readonly string[] = []): Change[] {
  if (isAlike(before, after)) return [];
  if (after === undefined) return [{ path: [...path] }];
  if (!isSchema(before) || !isSchema(after)) return [{ path: [...path], value: after }];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => changesBetween(before[key], after[key], [...path, key]));
}

/** Deep equality; the order of keys and undefined values do not matter. */
export function isAlike(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isAlike(item, other[index]));
  if (!isSchema(one) || !isSchema(other)) return false;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => isAlike(one[key], other[key]));
}

/** The value with one key set or removed; the others keep their order. Undefined if no key is left. */
export function withKey(value: unknown, key: string, next: unknown): Record<string, unknown> | undefined {
  const entries = new Map<string, unknown>(isSchema(value) ? Object.entries(value) : []);
  if (next === undefined) entries.delete(key);
  else entries.set(key, next);
  return entries.size === 0 ? undefined : Object.fromEntries(entries);
}

/** Applies changes to a value. */
export function withChanges(value: unknown, changes: readonly Change[]): Record<string, unknown> {
  return changes.reduce(
    (made, { path, value: next }) => withPath(made, path, next) ?? {},
    isSchema(value) ? { ...value } : {},
  );
}

function withPath(value: unknown, path: readonly string[], next: unknown): Record<string, unknown> | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return isSchema(next) ? { ...next } : undefined;
  const held = isSchema(value) ? value[key] : undefined;
  return withKey(value, key, rest.length === 0 ? next : withPath(held, rest, next));
}
