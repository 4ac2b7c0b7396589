import * as zod from 'zod';

/**
 * What the sources get where they import `z` from zod: the build and the tests put this file in its place. Building a
 * schema takes microseconds, and a program defines thousands of which a command needs a few. So a definition is only
 * recorded, and the schema is built when it is first used.
 */

type Members = Record<PropertyKey, unknown>;

/** The methods that derive another schema; every other property is one of the built schema. */
const DERIVING = new Set(
  (
    'optional nullable nullish default prefault catch describe min max int positive nonnegative length nonempty regex ' +
    'trim startsWith endsWith toLowerCase refine superRefine transform pipe array or and extend safeExtend omit pick ' +
    'partial strict loose catchall readonly brand'
  ).split(' '),
);

class Definition {
  readonly members: Members = Object.create(null);
  #build: (() => object) | undefined;
  #schema: object | undefined;

  /** `shape` is that of an object schema, with definitions as its members: reading it builds nothing. */
  constructor(
    build: () => object,
    readonly shape?: object,
  ) {
    this.#build = build;
  }

  get schema(): object {
    if (this.#schema === undefined) {
      this.#schema = this.#build?.() ?? {};
      this.#build = undefined;
    }
    return this.#schema;
  }
}

const definitions = new WeakMap<object, Definition>();

const HANDLER: ProxyHandler<Definition> = {
  get(definition, key) {
    const known = definition.members[key];
    if (known !== undefined) return known;
    const value = member(definition, key);
    // A method is looked up once; what is not one may change.
    if (typeof value === 'function') definition.members[key] = value;
    return value;
  },
  has: (definition, key) => Reflect.has(definition.schema, key),
  getPrototypeOf: (definition) => Reflect.getPrototypeOf(definition.schema),
};

function member(definition: Definition, key: PropertyKey): unknown {
  if (key === 'shape' && definition.shape !== undefined) return definition.shape;
  if (typeof key === 'string' && DERIVING.has(key)) {
    return (...args: unknown[]) =>
      define(() => callMethod(definition.schema, key, args), derivedShape(definition.shape, key, args));
  }
  const value: unknown = Reflect.get(definition.schema, key, definition.schema);
  return typeof value === 'function' ? value.bind(definition.schema) : value;
}

/** The shape of what a method derives from an object schema, where it is known without building one. */
function derivedShape(shape: object | undefined, method: string, [more]: readonly unknown[]): object | undefined {
  if (shape === undefined || method === 'describe') return shape;
  if (method !== 'extend' || typeof more !== 'object' || more === null) return undefined;
  return Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(shape), ...Object.getOwnPropertyDescriptors(more) },
  );
}

function define(build: () => object, shape?: object): object {
  const definition = new Definition(build, shape);
  const proxy = new Proxy(definition, HANDLER);
  definitions.set(proxy, definition);
  return proxy;
}

function callMethod(schema: object, name: string, args: readonly unknown[]): object {
  const method: unknown = Reflect.get(schema, name, schema);
  if (typeof method !== 'function') throw new TypeError(`This schema has no ${name}`);
  return method.apply(schema, args.map(built));
}

/** The value with built schemas in place of definitions, also in lists, in the members of an object and behind its getters. */
function built(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const definition = definitions.get(value);
  if (definition !== undefined) return definition.schema;
  if (Array.isArray(value)) return value.map(built);
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const copy = {};
  for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    const { get } = property;
    Object.defineProperty(
      copy,
      key,
      get === undefined
        ? { ...property, value: built(property.value) }
        : { ...property, get: () => built(get.call(value)) },
    );
  }
  return copy;
}

type Factory = (...args: never[]) => object;

/** Its type is that of the factory: a definition has every property of its schema. */
function lazily<Given extends Factory>(factory: Given): Given {
  return ((...args: never[]) => define(() => buildBy(factory, args))) as Given;
}

function lazyObject<Given extends Factory>(factory: Given): Given {
  return ((...args: never[]) => define(() => buildBy(factory, args), args[0])) as Given;
}

function buildBy(factory: Factory, args: readonly unknown[]): object {
  return (factory as (...each: unknown[]) => object)(...args.map(built));
}

/** The part of zod that the sources use at run time. */
export const z = {
  any: lazily(zod.any),
  array: lazily(zod.array),
  base64: lazily(zod.base64),
  boolean: lazily(zod.boolean),
  discriminatedUnion: lazily(zod.discriminatedUnion),
  enum: lazily(zod.enum),
  int: lazily(zod.int),
  json: lazily(zod.json),
  literal: lazily(zod.literal),
  looseObject: lazyObject(zod.looseObject),
  never: lazily(zod.never),
  null: lazily(zod.null),
  number: lazily(zod.number),
  object: lazyObject(zod.object),
  partialRecord: lazily(zod.partialRecord),
  preprocess: lazily(zod.preprocess),
  record: lazily(zod.record),
  strictObject: lazyObject(zod.strictObject),
  string: lazily(zod.string),
  tuple: lazily(zod.tuple),
  undefined: lazily(zod.undefined),
  union: lazily(zod.union),
  unknown: lazily(zod.unknown),
  url: lazily(zod.url),
  coerce: { number: lazily(zod.coerce.number) },
  iso: { date: lazily(zod.iso.date), datetime: lazily(zod.iso.datetime) },
  lazy: (get: () => object) => define(() => zod.lazy(() => built(get()) as zod.ZodType)),
  toJSONSchema: (schema: zod.ZodType, ...rest: never[]) => zod.toJSONSchema(built(schema) as zod.ZodType, ...rest),
  fromJSONSchema: zod.fromJSONSchema,
  prettifyError: zod.prettifyError,
  NEVER: zod.NEVER,
  ZodError: zod.ZodError,
};
