import { z } from 'zod';

/** A field of a described object; `needed` is false where it may be absent. */
export type Field = { name: string; type: string; needed: boolean; description: string };

/** The part of JSON Schema that our own schemas use. */
const Shape = z.object({
  type: z.string().optional(),
  const: z.json().optional(),
  enum: z.array(z.json()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  items: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  additionalProperties: z.unknown().optional(),
  required: z.array(z.string()).default([]),
  description: z.string().default(''),
});
type Shape = z.infer<typeof Shape>;

/** The fields of an object that a JSON Schema describes, in its order. */
export function fieldsOf(schema: unknown): Field[] {
  const { properties = {}, required } = Shape.parse(schema);
  return Object.entries(properties).map(([name, inner]) => ({
    name,
    type: typeText(inner),
    needed: required.includes(name),
    description: Shape.parse(inner).description,
  }));
}

/** What a JSON Schema allows, in words. */
export function typeText(schema: unknown): string {
  const shape = Shape.parse(schema ?? {});
  if (shape.const !== undefined) return JSON.stringify(shape.const);
  if (shape.enum !== undefined) return shape.enum.map(String).join(' | ');
  const choices = shape.anyOf ?? shape.oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeText))].join(' or ');
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
