import { type Defined, isDefined, MAKING, type Making, readSimply, shapeOf, UNDECIDED } from './simple-schema.ts';
import { PARTS } from './zod-parts.ts';

/**
 * What the sources get where they import `z` from zod: the build and the tests put this file in its place. Building a
 * schema takes microseconds, and a program defines thousands of which a command needs a few. So a definition is only
 * recorded, and the schema is built when it is first used; a start that reads only simple values does not load zod.
 */

/** The methods that derive another schema; every other property is one of the built schema. */
const DERIVING = (
  'optional nullable nullish default prefault catch describe min max int positive nonnegative length nonempty regex ' +
  'trim startsWith endsWith toLowerCase refine superRefine transform pipe array or and extend safeExtend omit pick ' +
  'partial strict loose catchall readonly brand unwrap exclude'
).split(' ');

/** What is known of a definition that was used. */
type Use = { schema?: object; isParsedBefore: boolean; bound: Record<PropertyKey, unknown> };

class Definition implements Defined {
  readonly [MAKING]: Making;
  #use: Use | undefined;

  constructor(making: Making) {
    this[MAKING] = making;
  }

  static schemaOf(value: object): object | undefined {
    return #use in value ? value.#built() : undefined;
  }

  /** A property of the built schema. A method is looked up once; what is not one may change. */
  static read(definition: Definition, key: PropertyKey): unknown {
    const { bound } = definition.#used();
    if (bound[key] !== undefined) return bound[key];
    const shape = key === 'shape' ? shapeOf(definition) : undefined;
    if (shape !== undefined) return shape;
    const found = key === 'parse' || key === 'safeParse' ? definition.#parserOf(key) : definition.#methodOf(key);
    if (typeof found === 'function') bound[key] = found;
    return found;
  }

  #methodOf(key: PropertyKey): unknown {
    const schema = this.#built();
    const value: unknown = Reflect.get(schema, key, schema);
    return typeof value === 'function' ? value.bind(schema) : value;
  }

  #parserOf(key: 'parse' | 'safeParse'): unknown {
    const { by, args } = this[MAKING];
    if (by === 'discriminatedUnion') return this.#parserOfUnion(key, args);
    return this.#used().isParsedBefore ? this.#methodOf(key) : this.#firstParserOf(key);
  }

  /** Parses by the option that a value selects, so that the others are not built; by the whole union where none is selected. */
  #parserOfUnion(key: PropertyKey, args: readonly unknown[]): unknown {
    // As discriminatedUnion takes them.
    const [discriminator, options] = args as [string, readonly unknown[]];
    let selected: Map<unknown, Definition> | undefined;
    return (value: unknown, ...rest: unknown[]) => {
      selected ??= optionsByValue(discriminator, options);
      const option =
        typeof value === 'object' && value !== null ? selected.get(Reflect.get(value, discriminator)) : undefined;
      return (option ?? this).#call(key, [value, ...rest]);
    };
  }

  /** Zod compiles a parser for each object that it parses, which pays off from the second value on; a simple value does not need zod. */
  #firstParserOf(key: 'parse' | 'safeParse'): unknown {
    return (value: unknown, params?: object) => {
      const use = this.#used();
      const isFirst = !use.isParsedBefore;
      use.isParsedBefore = true;
      delete use.bound[key];
      const read = isFirst && params === undefined ? readSimply(this, value) : UNDECIDED;
      if (read !== UNDECIDED) return key === 'parse' ? read : { success: true, data: read };
      return this.#call(key, [value, isFirst ? { jitless: true, ...params } : params]);
    };
  }

  #call(method: PropertyKey, args: readonly unknown[]): unknown {
    return Reflect.apply(this.#methodOf(method) as (...each: unknown[]) => unknown, undefined, args);
  }

  static optionOf(value: unknown, key: string): [Definition, unknown] | undefined {
    const shape = isDefined(value) ? shapeOf(value) : undefined;
    if (shape === undefined || !(value instanceof Definition)) return undefined;
    const literal: unknown = Reflect.get(shape, key);
    const values: unknown =
      typeof literal === 'object' && literal !== null ? Reflect.get(literal, 'values') : undefined;
    return values instanceof Set && values.size === 1 ? [value, [...values][0]] : undefined;
  }

  #used(): Use {
    this.#use ??= { isParsedBefore: false, bound: Object.create(null) as Use['bound'] };
    return this.#use;
  }

  #built(): object {
    const use = this.#used();
    use.schema ??= madeBy(this[MAKING]);
    return use.schema;
  }
}

/** The schema of zod. */
function madeBy({ by, args, from }: Making): object {
  if (from === undefined) return callMethod(PARTS, by, args);
  const schema = Definition.schemaOf(from);
  if (schema === undefined) throw new TypeError(`A schema is not made from ${String(from)}`);
  return callMethod(schema, by, args);
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
  has: (_, key) => Reflect.has(PARTS.any(), key),
});
Object.setPrototypeOf(Definition.prototype, SCHEMA_PROPERTIES);
for (const by of DERIVING) {
  Object.defineProperty(Definition.prototype, by, {
    value: function derive(this: Definition, ...args: unknown[]): Definition {
      return new Definition({ by, args, from: this });
    },
  });
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

/** A definition that is made by a function of zod, which is loaded when a schema is built. */
function lazily<Name extends keyof typeof PARTS>(by: Name): (typeof PARTS)[Name] {
  // Its type is that of the function: a definition has every property of its schema.
  return ((...args: unknown[]) => new Definition({ by, args })) as unknown as (typeof PARTS)[Name];
}

/** The part of zod that the sources use at run time. */
export const z = {
  any: lazily('any'),
  array: lazily('array'),
  base64: lazily('base64'),
  boolean: lazily('boolean'),
  discriminatedUnion: lazily('discriminatedUnion'),
  enum: lazily('enum'),
  int: lazily('int'),
  json: lazily('json'),
  literal: lazily('literal'),
  looseObject: lazily('looseObject'),
  never: lazily('never'),
  null: lazily('null'),
  number: lazily('number'),
  object: lazily('object'),
  partialRecord: lazily('partialRecord'),
  preprocess: lazily('preprocess'),
  record: lazily('record'),
  strictObject: lazily('strictObject'),
  string: lazily('string'),
  tuple: lazily('tuple'),
  undefined: lazily('undefined'),
  union: lazily('union'),
  unknown: lazily('unknown'),
  url: lazily('url'),
  coerce: { number: lazily('coerce.number') },
  iso: { date: lazily('iso.date'), datetime: lazily('iso.datetime') },
  lazy: (get: () => object) => new Definition({ by: 'lazy', args: [() => built(get())] }),
  toJSONSchema: (schema: object, ...rest: never[]) => PARTS.toJSONSchema(built(schema) as never, ...rest),
  prettifyError: (error: Parameters<typeof PARTS.prettifyError>[0]) => PARTS.prettifyError(error),
  get NEVER() {
    return PARTS.NEVER;
  },
  get ZodError() {
    return PARTS.ZodError;
  },
};
