import { z } from 'zod';

type Schema = { [key: string]: unknown };

const SchemaObject = z.record(z.string(), z.unknown());
/** Keywords that contain schemas: one, a list, or by name. */
const NESTED = ['items', 'anyOf', 'properties', '$defs'] as const;
/** Keywords that OpenAI's strict schemas do not support, or that have no effect on a model. */
const DROPPED = new Set(['$schema', '$id', 'default', 'examples', 'minLength', 'maxLength']);

/**
 * A schema in the strict form of OpenAI: every property is required and no other is allowed, so an optional one may be
 * null instead.
 */
export function strictSchema(schema: unknown): unknown {
  const parsed = SchemaObject.safeParse(schema);
  if (!parsed.success) return schema;
  const kept = Object.fromEntries(Object.entries(parsed.data).filter(([key]) => !DROPPED.has(key)));
  for (const key of NESTED) if (key in kept) kept[key] = nested(key, kept[key]);
  const properties = SchemaObject.safeParse(kept.properties);
  if (kept.type !== 'object' || !properties.success) return kept;
  const required = new Set(requiredBy(kept));
  return {
    ...kept,
    properties: Object.fromEntries(
      Object.entries(properties.data).map(([name, inner]) => [name, required.has(name) ? inner : orNull(inner)]),
    ),
    required: Object.keys(properties.data),
    additionalProperties: false,
  };
}

/** Whether a schema has a strict form: each of its objects names its properties. Others are requested by the prompt alone. */
export function hasStrictForm(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(hasStrictForm);
  const parsed = SchemaObject.safeParse(schema);
  if (!parsed.success) return true;
  const { type, properties, items, anyOf, $defs } = parsed.data;
  const isOpen = type === 'object' && Object.keys(SchemaObject.safeParse(properties).data ?? {}).length === 0;
  const inner = [properties, $defs].flatMap((named) => Object.values(SchemaObject.safeParse(named).data ?? {}));
  return !isOpen && [...inner, items, anyOf].every(hasStrictForm);
}

/** The output without the nulls that represent omitted optional properties. */
export function withoutNulls(output: unknown, schema: unknown): unknown {
  const parsed = SchemaObject.safeParse(schema);
  if (!parsed.success) return output;
  if (Array.isArray(output)) return output.map((item) => withoutNulls(item, parsed.data.items));
  const value = SchemaObject.safeParse(output);
  const properties = SchemaObject.safeParse(parsed.data.properties);
  if (!value.success || !properties.success) return output;
  const required = new Set(requiredBy(parsed.data));
  return Object.fromEntries(
    Object.entries(value.data)
      .filter(([name, inner]) => inner !== null || required.has(name))
      .map(([name, inner]) => [name, withoutNulls(inner, properties.data[name])]),
  );
}

function nested(key: (typeof NESTED)[number], value: unknown): unknown {
  if (key === 'items') return strictSchema(value);
  if (Array.isArray(value)) return value.map(strictSchema);
  const named = SchemaObject.safeParse(value);
  if (!named.success) return value;
  return Object.fromEntries(Object.entries(named.data).map(([name, inner]) => [name, strictSchema(inner)]));
}

function requiredBy(schema: Schema): string[] {
  return z.array(z.string()).safeParse(schema.required).data ?? [];
}

function orNull(schema: unknown): unknown {
  return { anyOf: [schema, { type: 'null' }] };
}
