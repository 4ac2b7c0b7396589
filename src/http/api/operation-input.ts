import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { OPERATIONS, STREAMS } from '../../operations/all.ts';
import type { OperationRoute } from './operation-routes.ts';

type Schema = Readonly<Record<string, unknown>>;

const Property = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  items: z.unknown().optional(),
});
const InputSchema = z.looseObject({ properties: z.record(z.string(), Property).optional() });
type Properties = Record<string, z.infer<typeof Property>>;

const known = new Map<string, z.infer<typeof InputSchema>>();

/** The input of an operation as JSON Schema. */
export function inputSchema({ kind, name }: OperationRoute) {
  const { input } = kind === 'operation' ? OPERATIONS[name] : STREAMS[name];
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  if (kind !== 'operation' || OPERATIONS[name].decides !== true) return schema;
  return { ...schema, properties: { ...schema.properties, confirm: CONFIRM } };
}

/** The code of a decision; every operation that decides accepts it. */
const CONFIRM = {
  type: 'string',
  description: 'The code that the terminal of the engine shows, where approve.confirm requires one.',
} as const;

/** The input of a reading request from its path and query; each value is parsed as its schema requires. */
export function inputOfQuery(
  route: OperationRoute,
  params: Record<string, string>,
  query: URLSearchParams,
): Record<string, unknown> {
  const properties = propertiesOf(route);
  const input: Record<string, unknown> = {};
  for (const key of new Set(query.keys())) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property === undefined || route.params.includes(key))
      throw new AppError('REQUEST_INVALID', `${route.path} has no parameter ${key}`, { parameter: key });
    input[key] = queryValue(key, property, query.getAll(key));
  }
  return withoutNul({ ...input, ...inputOfPath(route, params) });
}

/** The input of a changing request: its body and the parameters in its path. */
export function inputOfBody(
  route: OperationRoute,
  params: Record<string, string>,
  body: unknown,
): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new AppError('REQUEST_INVALID', 'The body must be a JSON object');
  const named = inputOfPath(route, params);
  const duplicate = Object.keys(named).find((key) => Object.hasOwn(body, key));
  if (duplicate !== undefined)
    throw new AppError('REQUEST_INVALID', `${duplicate} is given by the path; omit it from the body`);
  const unknown = findUnknownKey(knownSchema(route), body);
  if (unknown !== undefined)
    throw new AppError('REQUEST_INVALID', `${route.path} has no parameter ${unknown}`, { parameter: unknown });
  return withoutNul({ ...body, ...named });
}

/** Refuses NUL characters, which end strings for the operating system. */
function withoutNul(input: Record<string, unknown>): Record<string, unknown> {
  for (const [key, value] of Object.entries(input))
    if (typeof value === 'string' && value.includes('\0'))
      throw new AppError('REQUEST_INVALID', `${key} contains a NUL character`, { parameter: key });
  return input;
}

function inputOfPath(route: OperationRoute, params: Record<string, string>): Record<string, unknown> {
  const properties = propertiesOf(route);
  return Object.fromEntries(route.params.map((key) => [key, single(key, properties[key], params[key] ?? '')]));
}

function queryValue(key: string, property: z.infer<typeof Property>, values: readonly string[]): unknown {
  if (property.type === 'array') {
    const items = Property.safeParse(property.items);
    return values.map((value) => single(key, items.success ? items.data : undefined, value));
  }
  const [value = '', another] = values;
  if (another !== undefined)
    throw new AppError('REQUEST_INVALID', `${key} is given more than once`, { parameter: key });
  return single(key, property, value);
}

function single(key: string, property: z.infer<typeof Property> | undefined, value: string): unknown {
  switch (property?.type) {
    case 'number':
    case 'integer':
      if (value.trim() === '' || !Number.isFinite(Number(value)))
        throw new AppError('REQUEST_INVALID', `${key} must be a number, not ${JSON.stringify(value)}`, {
          parameter: key,
        });
      return Number(value);
    case 'boolean':
      if (value !== 'true' && value !== 'false')
        throw new AppError('REQUEST_INVALID', `${key} must be true or false, not ${JSON.stringify(value)}`, {
          parameter: key,
        });
      return value === 'true';
    default:
      return value;
  }
}

function propertiesOf(route: OperationRoute): Properties {
  return knownSchema(route).properties ?? {};
}

/** Built once per route: every key typed into a terminal is a request. */
function knownSchema(route: OperationRoute): z.infer<typeof InputSchema> {
  const found = known.get(route.name) ?? InputSchema.parse(inputSchema(route));
  known.set(route.name, found);
  return found;
}

/** The first key of a value that its JSON schema does not know, as a path: a misspelt `budget` must not mean no budget. */
function findUnknownKey(schema: unknown, value: unknown, path: readonly string[] = []): string | undefined {
  if (!isObject(schema) || !isObject(value)) return undefined;
  const variants = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (variants !== undefined) {
    const matching = variants.filter((variant: unknown) => matches(variant, value));
    const found = matching.map((variant: unknown) => findUnknownKey(variant, value, path));
    // No variant matches: the check of the value reports what is wrong.
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

/** Whether a value has the constants that distinguish a variant from the others. */
function matches(variant: unknown, value: Schema): boolean {
  const properties = isObject(variant) && isObject(variant.properties) ? variant.properties : {};
  return Object.entries(properties).every(
    ([key, inner]) => !isObject(inner) || inner.const === undefined || inner.const === value[key],
  );
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
