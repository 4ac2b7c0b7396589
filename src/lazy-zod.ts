import * as zod from 'zod';

/**
 * What the sources get where they import `z` from zod: the build and the tests put this file in its place. Building a
 * schema takes microseconds, and a program defines thousands of which a command needs a few. So a definition is only
 * recorded, and the schema is built when it is first used.
 */

/** The methods that derive another schema; every other property is one of the built schema. */
const DERIVING = (
  'optional nullable nullish default prefault catch describe min max int positive nonnegative length nonempty regex ' +
  'trim startsWith endsWith toLowerCase refine superRefine transform pipe array or and extend safeExtend omit pick ' +
  'partial strict loose catchall readonly brand unwrap exclude'
).split(' ');

type UnionOptions = { key: string; options: readonly unknown[] };

class Definition {
  #build: (() => object) | undefined;
  #schema: object | undefined;
  #shape: object | undefined;
  #bound: Record<PropertyKey, unknown> | undefined;
  #isParsedBefore = false;
  /** For a union by a discriminator: its options, of which a value selects one. */
  readonly #options: UnionOptions | undefined;

  /** `shape` is that of an object schema, with definitions as its members: reading it builds nothing. */
  constructor(build: () => object, shape?: object, options?: UnionOptions) {
    this.#build = build;
    this.#shape = shape;
    this.#options = options;
  }

  static schemaOf(value: object): object | undefined {
    return #build in value ? value.#built() : undefined;
  }

  /** A schema that one of the deriving methods makes of this one. */
  static derive(from: Definition, method: string, args: readonly unknown[]): Definition {
    return new Definition(() => callMethod(from.#built(), method, args), derivedShape(from.#shape, method, args));
  }

  /** A property of the built schema. A method is looked up once; what is not one may change. */
  static read(definition: Definition, key: PropertyKey): unknown {
    const known = definition.#bound?.[key];
    if (known !== undefined) return known;
    if (key === 'shape' && definition.#shape !== undefined) return definition.#shape;
    const bound = definition.#parserOf(key) ?? definition.#firstParserOf(key) ?? definition.#methodOf(key);
    if (typeof bound !== 'function') return bound;
    definition.#bound ??= Object.create(null) as Record<PropertyKey, unknown>;
    definition.#bound[key] = bound;
    return bound;
  }

  #methodOf(key: PropertyKey): unknown {
    const schema = this.#built();
    const value: unknown = Reflect.get(schema, key, schema);
    return typeof value === 'function' ? value.bind(schema) : value;
  }

  /** Parses by the option that a value selects, so that the others are not built; by the whole union where none is selected. */
  #parserOf(key: PropertyKey): unknown {
    if (this.#options === undefined || (key !== 'parse' && key !== 'safeParse')) return undefined;
    const { key: discriminator, options } = this.#options;
    let selected: Map<unknown, Definition> | undefined;
    return (value: unknown, ...rest: unknown[]) => {
      selected ??= optionsByValue(discriminator, options);
      const option =
        typeof value === 'object' && value !== null ? selected.get(Reflect.get(value, discriminator)) : undefined;
      return (option ?? this).#call(key, [value, ...rest]);
    };
  }

  /** Zod compiles a parser for each object that it parses, which pays off from the second value on. */
  #firstParserOf(key: PropertyKey): unknown {
    if (this.#isParsedBefore || (key !== 'parse' && key !== 'safeParse')) return undefined;
    return (value: unknown, params?: object) => {
      const isFirst = !this.#isParsedBefore;
      this.#isParsedBefore = true;
      if (this.#bound !== undefined) delete this.#bound[key];
      return this.#call(key, [value, isFirst ? { jitless: true, ...params } : params]);
    };
  }

  #call(method: PropertyKey, args: readonly unknown[]): unknown {
    return Reflect.apply(this.#methodOf(method) as (...each: unknown[]) => unknown, undefined, args);
  }

  static optionOf(value: unknown, key: string): [Definition, unknown] | undefined {
    if (typeof value !== 'object' || value === null || !(#build in value) || value.#shape === undefined)
      return undefined;
    const literal: unknown = Reflect.get(value.#shape, key);
    const values: unknown =
      typeof literal === 'object' && literal !== null ? Reflect.get(literal, 'values') : undefined;
    return values instanceof Set && values.size === 1 ? [value, [...values][0]] : undefined;
  }

  #built(): object {
    if (this.#schema === undefined) {
      this.#schema = this.#build?.() ?? {};
      this.#build = undefined;
    }
    return this.#schema;
  }
}

/** Empty where an option has no single value, or two have the same: the whole union then decides, or reports it. */
function optionsByValue(key: string, options: readonly unknown[]): Map<unknown, Definition> {
  const pairs = options.map((option) => Definition.optionOf(option, key));
  const found = new Map(pairs.flatMap((pair) => (pair === undefined ? [] : [[pair[1], pair[0]] as const])));
  return found.size === options.length ? found : new Map();
}

/** A prototype costs nothing for each definition, of which a start makes thousands; a proxy for each would. */
const SCHEMA_PROPERTIES = new Proxy(Object.create(null), {
  get: (_, key, definition: Definition) => Definition.read(definition, key),
  has: (_, key) => Reflect.has(zod.any(), key),
});
Object.setPrototypeOf(Definition.prototype, SCHEMA_PROPERTIES);
for (const method of DERIVING) {
  Object.defineProperty(Definition.prototype, method, {
    value: function derive(this: Definition, ...args: unknown[]): Definition {
      return Definition.derive(this, method, args);
    },
  });
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

function callMethod(schema: object, name: string, args: readonly unknown[]): object {
  const method: unknown = Reflect.get(schema, name, schema);
  if (typeof method !== 'function') throw new TypeError(`This schema has no ${name}`);
  return method.apply(schema, args.map(built));
}

/** The value with built schemas in place of definitions, also in lists, in the members of an object and behind its getters. */
function built(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const schema = Definition.schemaOf(value);
  if (schema !== undefined) return schema;
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
  return ((...args: never[]) => new Definition(() => buildBy(factory, args))) as Given;
}

function lazyObject<Given extends Factory>(factory: Given): Given {
  return ((...args: never[]) => new Definition(() => buildBy(factory, args), args[0])) as Given;
}

function lazyUnion<Given extends Factory>(factory: Given): Given {
  return ((...args: never[]) => {
    // As discriminatedUnion takes them.
    const [key, options] = args as unknown as [string, readonly unknown[]];
    return new Definition(() => buildBy(factory, args), undefined, { key, options });
  }) as Given;
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
  discriminatedUnion: lazyUnion(zod.discriminatedUnion),
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
  lazy: (get: () => object) => new Definition(() => zod.lazy(() => built(get()) as zod.ZodType)),
  toJSONSchema: (schema: zod.ZodType, ...rest: never[]) => zod.toJSONSchema(built(schema) as zod.ZodType, ...rest),
  prettifyError: zod.prettifyError,
  NEVER: zod.NEVER,
  ZodError: zod.ZodError,
};
