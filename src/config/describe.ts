import { z } from 'zod';
import { Config } from '../schema/config.ts';

/** A setting as it is listed and documented. */
export type ConfigKey = { key: string; type: string; default: unknown; description: string };

type Schema = z.core.JSONSchema.BaseSchema;
type Path = readonly (string | number)[];

const PLACEHOLDER = '<name>';
let known: Schema | undefined;

/** Every setting with its type, default and meaning, in the order of the schema; `<name>` is any name. */
export function describeConfig(): ConfigKey[] {
  return describe(root(), [], '');
}

/** The allowed values at a path as text; undefined where there is no setting. */
export function allowedAt(path: Path): string | undefined {
  const schema = schemaAt(path);
  return schema === undefined ? undefined : typeText(schema);
}

/** The keys that a map at this path may have; none where the names are free. */
export function keysAt(path: Path): string[] {
  const schema = schemaAt(path);
  return schema === undefined ? [] : variants(schema).flatMap(ownKeys);
}

/** Created on first use: most commands never need it. */
function root(): Schema {
  known ??= z.toJSONSchema(Config, { io: 'input' });
  return known;
}

/** The description of a map applies to its keys that have none. */
function describe(schema: Schema, path: readonly string[], above: string): ConfigKey[] {
  const free = asSchema(schema.additionalProperties);
  const named = Object.entries(schema.properties ?? {});
  const description = schema.description ?? above;
  if (named.length > 0)
    return named.flatMap(([key, inner]) => describe(asSchema(inner) ?? {}, [...path, key], description));
  if (free?.properties !== undefined) return describe(free, [...path, PLACEHOLDER], description);
  return [{ key: path.join('.'), type: typeText(schema), default: schema.default, description }];
}

function schemaAt(path: Path): Schema | undefined {
  let schemas: Schema[] = [root()];
  for (const part of path) schemas = schemas.flatMap(variants).flatMap((schema) => step(schema, part));
  return schemas.length > 1 ? { anyOf: schemas } : schemas[0];
}

function step(schema: Schema, part: string | number): Schema[] {
  const named = typeof part === 'string' && Object.hasOwn(schema.properties ?? {}, part);
  const inner = named
    ? schema.properties?.[part]
    : schema.type === 'array'
      ? schema.items
      : schema.additionalProperties;
  const found = Array.isArray(inner) ? undefined : asSchema(inner);
  return found === undefined ? [] : [found];
}

function variants(schema: Schema): Schema[] {
  return schema.anyOf === undefined ? [schema] : schema.anyOf.flatMap((inner) => variants(asSchema(inner) ?? {}));
}

function typeText(schema: Schema): string {
  if (schema.anyOf !== undefined) return variants(schema).map(typeText).join(' or ');
  if (schema.enum !== undefined) return schema.enum.join(' | ');
  switch (schema.type) {
    case 'boolean':
      return 'true | false';
    case 'integer':
    case 'number':
      return `${schema.type}${rangeText(schema)}`;
    case 'array': {
      const items = Array.isArray(schema.items) ? undefined : asSchema(schema.items);
      return `list of ${items === undefined ? 'values' : typeText(items)}`;
    }
    case 'object':
      return objectText(schema);
    default:
      return 'text';
  }
}

function rangeText({ minimum, exclusiveMinimum, maximum }: Schema): string {
  const most = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (minimum !== undefined && most !== undefined) return ` ${minimum}..${most}`;
  const above = exclusiveMinimum === undefined ? '' : ` above ${exclusiveMinimum}`;
  const least = minimum === undefined ? '' : ` from ${minimum}`;
  return `${above}${least}${most === undefined ? '' : ` up to ${most}`}`;
}

function objectText(schema: Schema): string {
  const names = ownKeys(schema);
  if (names.length > 0) return `map { ${names.join(', ')} }`;
  const free = asSchema(schema.additionalProperties);
  return free === undefined ? 'map' : `map of name to ${typeText(free)}`;
}

/** The keys that people may set; Manyhands adds others when it loads the settings. */
function ownKeys({ properties = {} }: Schema): string[] {
  return Object.keys(properties).filter(
    (key) => !asSchema(properties[key])?.description?.startsWith('Set by Manyhands'),
  );
}

function asSchema(value: unknown): Schema | undefined {
  return isSchema(value) ? value : undefined;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}
