/** Under this key a definition says how its schema is made. */
export const MAKING = Symbol('making');

/** How a schema is made: by a function of zod with these arguments, or by a method of the definition in `from`. */
export type Making = { by: string; args: readonly unknown[]; from?: Defined };

/** A definition of a schema, which need not be built yet. */
export type Defined = { readonly [MAKING]: Making };

/** What `readSimply` gives for a value or a schema that zod must decide on. */
export const UNDECIDED = Symbol('undecided');

/** The schemas that give a value where there is none; zod has rules for one inside another. */
const FILLING = ['optional', 'default'];
const OBJECTS = ['object', 'strictObject', 'looseObject'];

/**
 * What a schema makes of a value, where both are simple: the options of most commands are, and loading zod to read them
 * takes longer than the rest of the command. It never refuses a value: what it does not know is for zod to decide.
 */
export function readSimply(schema: Defined, value: unknown): unknown {
  const { by, args, from } = schema[MAKING];
  if (from !== undefined && by !== 'extend') return readDerived({ by, args, from }, value);
  switch (by) {
    case 'string':
    case 'boolean':
      return args.length === 0 && typeof value === by ? value : UNDECIDED;
    case 'number':
      return args.length === 0 && Number.isFinite(value) ? value : UNDECIDED;
    case 'enum':
      return args.length === 1 && typeof value === 'string' && isListWith(args[0], value) ? value : UNDECIDED;
    case 'array':
      return args.length === 1 && Array.isArray(value) ? readItems(args[0], value) : UNDECIDED;
    case 'object':
    case 'strictObject':
    case 'extend':
      return isRecord(value) ? readMembers(schema, value) : UNDECIDED;
    default:
      return UNDECIDED;
  }
}

function readDerived({ by, args, from }: Required<Making>, value: unknown): unknown {
  if (by === 'describe') return readSimply(from, value);
  const [argument] = args;
  if (FILLING.includes(by)) {
    if (isFilling(from)) return UNDECIDED;
    if (value !== undefined) return readSimply(from, value);
    if (by === 'optional') return undefined;
    return typeof argument === 'object' || typeof argument === 'function' ? UNDECIDED : argument;
  }
  const read = readSimply(from, value);
  return isWithin(read, by, argument) ? read : UNDECIDED;
}

/** Whether a number passes the check of this name. */
function isWithin(value: unknown, check: string, limit: unknown): boolean {
  if (typeof value !== 'number') return false;
  if (check === 'int') return limit === undefined && Number.isSafeInteger(value);
  if (check === 'positive') return limit === undefined && value > 0;
  if (check === 'nonnegative') return limit === undefined && value >= 0;
  if (typeof limit !== 'number') return false;
  return (check === 'min' && value >= limit) || (check === 'max' && value <= limit);
}

function isFilling(schema: Defined): boolean {
  const { by, from } = schema[MAKING];
  return FILLING.includes(by) || (by === 'describe' && from !== undefined && isFilling(from));
}

function isListWith(list: unknown, value: string): boolean {
  return Array.isArray(list) && list.includes(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readItems(item: unknown, values: readonly unknown[]): unknown {
  if (!isDefined(item)) return UNDECIDED;
  const items = values.map((value) => readSimply(item, value));
  return items.includes(UNDECIDED) ? UNDECIDED : items;
}

function readMembers(schema: Defined, value: Record<string, unknown>): unknown {
  const shape = shapeOf(schema);
  const kind = kindOf(schema);
  if (shape === undefined || kind === 'looseObject') return UNDECIDED;
  if (kind === 'strictObject' && Object.keys(value).some((key) => !Object.hasOwn(shape, key))) return UNDECIDED;
  const members: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(shape)) {
    const read = isDefined(member) ? readSimply(member, value[key]) : UNDECIDED;
    if (read === UNDECIDED) return UNDECIDED;
    if (read !== undefined || key in value) members[key] = read;
  }
  return members;
}

/** The members of an object schema, as they are defined: reading them builds nothing; undefined for other schemas. */
export function shapeOf(schema: Defined): object | undefined {
  const { by, args, from } = schema[MAKING];
  const [first] = args;
  if (from === undefined) return OBJECTS.includes(by) && isRecord(first) ? first : undefined;
  const shape = by === 'extend' || by === 'describe' ? shapeOf(from) : undefined;
  if (shape === undefined || by === 'describe') return shape;
  if (!isRecord(first)) return undefined;
  return Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(shape), ...Object.getOwnPropertyDescriptors(first) },
  );
}

/** The function that made the schema from which this one is derived. */
function kindOf(schema: Defined): string {
  const { by, from } = schema[MAKING];
  return from === undefined ? by : kindOf(from);
}

/** Whether this is a definition, and not a schema of zod or anything else. */
export function isDefined(value: unknown): value is Defined {
  return typeof value === 'object' && value !== null && MAKING in value;
}
