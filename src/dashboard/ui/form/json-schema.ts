/** A JSON Schema as received from the server, unvalidated. */
export type Schema = Readonly<Record<string, unknown>>;

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textIn(schema: Schema, key: string): string | undefined {
  const value = schema[key];
  return typeof value === 'string' ? value : undefined;
}

export function numberIn(schema: Schema, key: string): number | undefined {
  const value = schema[key];
  return typeof value === 'number' ? value : undefined;
}

/** A list of strings; undefined if it contains anything else. */
export function textsIn(schema: Schema, key: string): string[] | undefined {
  const value = schema[key];
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((each) => typeof each === 'string');
  return texts.length === value.length ? texts : undefined;
}

export function schemasIn(schema: Schema, key: string): Schema[] | undefined {
  const value = schema[key];
  return Array.isArray(value) ? value.filter(isSchema) : undefined;
}
