type Schema = Readonly<Record<string, unknown>>;

/** The first key of a value that its JSON schema does not know, as a path: a misspelt `budget` must not mean no budget. */
export function findUnknownKey(schema: unknown, value: unknown, path: readonly string[] = []): string | undefined {
  if (!isObject(schema) || !isObject(value)) return undefined;
  const variants = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (variants !== undefined) {
    const meant = variants.filter((variant: unknown) => isMeant(variant, value));
    const found = meant.map((variant: unknown) => findUnknownKey(variant, value, path));
    // Of no variant at all: what is wrong then is told by whoever checks the value.
    return found.length === 0 || found.includes(undefined) ? undefined : found[0];
  }
  const { properties } = schema;
  if (!isObject(properties) || schema.additionalProperties !== undefined) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const here = [...path, key];
    if (!Object.hasOwn(properties, key)) return here.join('.');
    const below = findUnknownKey(properties[key], inner, here);
    if (below !== undefined) return below;
  }
  return undefined;
}

/** Whether a value has the words by which a variant is told from the others. */
function isMeant(variant: unknown, value: Schema): boolean {
  const properties = isObject(variant) && isObject(variant.properties) ? variant.properties : {};
  return Object.entries(properties).every(
    ([key, inner]) => !isObject(inner) || inner.const === undefined || inner.const === value[key],
  );
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
