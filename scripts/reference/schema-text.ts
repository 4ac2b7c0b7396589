import { z } from 'zod';
import { codeBlock } from './markdown.ts';

/** A field of a described object; `needed` is false where it may be absent. */
export type Field = { name: string; type: string; needed: boolean };

/** The part of JSON Schema that our own schemas use. */
const Shape = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  const: z.json().optional(),
  enum: z.array(z.json()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  items: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  additionalProperties: z.unknown().optional(),
  required: z.array(z.string()).default([]),
});
type Shape = z.infer<typeof Shape>;

const LONGEST_LINE = 120;

/** A JSON Schema as a block to read: short lists and objects on one line, what says nothing to a reader left out. */
export function schemaBlock(schema: Record<string, unknown>): string {
  const text = JSON.stringify(schema, (key, value) => (isNoise(key, value) ? undefined : value), 2)
    .replace(/\[\n\s+([^\n[\]{}]+(?:\n\s+[^\n[\]{}]+)*)\n\s+\]/g, (_, items: string) => `[${oneLine(items)}]`)
    .replace(/\{\n\s+([^\n{}]+(?:\n\s+[^\n{}]+)*)\n\s+\}/g, (whole, fields: string) =>
      fields.length > LONGEST_LINE ? whole : `{ ${oneLine(fields)} }`,
    );
  return codeBlock('json', text);
}

/** The fields of an object that a JSON Schema describes, in its order. */
export function fieldsOf(schema: unknown): Field[] {
  const { properties = {}, required } = Shape.parse(schema);
  return Object.entries(properties).map(([name, inner]) => ({
    name,
    type: typeText(inner),
    needed: required.includes(name),
  }));
}

/** What a JSON Schema allows, in words. */
function typeText(schema: unknown): string {
  const shape = Shape.parse(schema ?? {});
  if (shape.const !== undefined) return JSON.stringify(shape.const);
  if (shape.enum !== undefined) return shape.enum.map(String).join(' | ');
  const choices = shape.anyOf ?? shape.oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeText))].join(' or ');
  if (Array.isArray(shape.type)) return shape.type.map((type) => typeText({ ...shape, type })).join(' or ');
  switch (shape.type) {
    case 'array':
      return `list of ${typeText(shape.items)}`;
    case 'object':
      return objectText(shape);
    case 'string':
      return 'text';
    case undefined:
      return 'anything';
    default:
      return shape.type;
  }
}

function objectText({ properties = {}, required, additionalProperties }: Shape): string {
  const names = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
  if (names.length > 0) return `{ ${names.join(', ')} }`;
  return additionalProperties === undefined ? 'map' : `map of name to ${typeText(additionalProperties)}`;
}

function oneLine(text: string): string {
  return text.replace(/\n\s+/g, ' ');
}

function isNoise(key: string, value: unknown): boolean {
  if (key === 'additionalProperties') return value === false;
  return key === '$schema' || value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER;
}
