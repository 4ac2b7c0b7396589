import { z } from 'zod';

type Json = z.infer<ReturnType<typeof z.json>>;

/** The supported subset of JSON Schema; anything else is ignored. */
const Shape = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  const: z.json().optional(),
  enum: z.array(z.json()).optional(),
  default: z.json().optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  items: z.unknown().optional(),
  minItems: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  maximum: z.number().optional(),
});
type Shape = z.infer<typeof Shape>;

/** The minimal value that satisfies a JSON Schema, with `text` for every string. */
export function minimalValue(schema: unknown, text: string): Json {
  const parsed = Shape.safeParse(schema);
  const shape = parsed.success ? parsed.data : {};
  if (shape.const !== undefined) return shape.const;
  if (shape.enum?.[0] !== undefined) return shape.enum[0];
  if (shape.default !== undefined) return shape.default;
  const choice = shape.anyOf?.[0] ?? shape.oneOf?.[0];
  if (choice !== undefined) return minimalValue(choice, text);
  switch ([shape.type].flat()[0] ?? (shape.properties === undefined ? undefined : 'object')) {
    case 'object':
      return Object.fromEntries(
        (shape.required ?? []).map((key) => [key, minimalValue(shape.properties?.[key], text)]),
      );
    case 'array':
      return Array.from({ length: shape.minItems ?? 0 }, () => minimalValue(shape.items, text));
    case 'number':
    case 'integer':
      return minimalNumber(shape);
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return text.padEnd(shape.minLength ?? 0, '.').slice(0, shape.maxLength);
  }
}

function minimalNumber({ minimum, exclusiveMinimum, maximum }: Shape): number {
  const least = minimum ?? (exclusiveMinimum === undefined ? 0 : Math.floor(exclusiveMinimum) + 1);
  return maximum === undefined ? least : Math.min(least, maximum);
}
