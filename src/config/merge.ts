/** A map as YAML gives it. */
export type Plain = Record<string, unknown>;

/** Maps merge key by key; lists and single values of the upper one replace those below. */
export function mergeConfig(below: Plain, above: Plain): Plain {
  const merged = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const old = merged[key];
    merged[key] = isPlain(old) && isPlain(value) ? mergeConfig(old, value) : value;
  }
  return merged;
}

/** Without keys that have no value: `limits:` with nothing behind it sets nothing. */
export function dropEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropEmpty);
  if (!isPlain(value)) return value;
  const set = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(set.map(([key, inner]) => [key, dropEmpty(inner)]));
}

export function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path, if every step of it is there. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let current = value;
  for (const part of path) {
    if (Array.isArray(current) && typeof part === 'number') current = current[part];
    else if (isPlain(current) && Object.hasOwn(current, part)) current = current[part];
    else return undefined;
  }
  return current;
}
