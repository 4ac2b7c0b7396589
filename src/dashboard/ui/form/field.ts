import { isSchema, numberIn, type Schema, schemasIn, textIn, textsIn } from './json-schema.ts';

/** A form field derived from a JSON Schema; each kind has its own control. */
export type Field =
  | { kind: 'text'; isLong: boolean; min: number; max: number | undefined; pattern: string | undefined }
  | { kind: 'number'; isInteger: boolean; range: Range; unit: string | undefined }
  | { kind: 'duration' }
  | { kind: 'date-time' }
  | { kind: 'switch' }
  | { kind: 'choice'; options: readonly string[] }
  | { kind: 'list'; item: Field }
  | { kind: 'map'; item: Field; names: readonly string[] }
  | { kind: 'group'; entries: readonly Entry[] }
  | { kind: 'union'; branches: readonly { label: string; field: Field }[] }
  | { kind: 'json' };
export type FieldOf<K extends Field['kind']> = Extract<Field, { kind: K }>;

/** The range of a number; `isExclusive` excludes the minimum itself. */
export type Range = { min: number | undefined; max: number | undefined; isExclusive: boolean };

/** One named field of a group. */
export type Entry = {
  key: string;
  title: string;
  about: string;
  /** The user must enter a value. */
  isRequired: boolean;
  fallback: unknown;
  /** Sent if the schema requires a value and the user entered none. */
  ifMissing?: unknown;
  field: Field;
};

const MAX_DEPTH = 12;
const LONG_TEXT = 1_000;
const LONG_KEYS = new Set(['goal', 'task', 'prompt', 'text', 'guidelines', 'description', 'body']);
const EPOCH = /milliseconds since 1970/;

/** Derives a field from a JSON Schema; anything unsupported is edited as JSON. */
export function fieldOf(schema: Schema, root: Schema = schema): Field {
  return read(schema, { root, key: '', depth: 0 });
}

/** The fields of an object schema; none for other schemas. */
export function entriesOf(schema: Schema): readonly Entry[] {
  const field = fieldOf(schema);
  return field.kind === 'group' ? field.entries : [];
}

type SchemaContext = { root: Schema; key: string; depth: number };

function read(given: Schema, context: SchemaContext): Field {
  const schema = resolved(given, context.root);
  if (context.depth > MAX_DEPTH) return { kind: 'json' };
  const branches = schemasIn(schema, 'anyOf') ?? schemasIn(schema, 'oneOf');
  if (branches !== undefined) return unionOf(branches, context);
  const options = textsIn(schema, 'enum');
  if (options !== undefined) return { kind: 'choice', options };
  const only = textIn(schema, 'const');
  if (only !== undefined) return { kind: 'choice', options: [only] };
  switch (typeOf(schema)) {
    case 'string':
      return textField(schema, context.key);
    case 'integer':
    case 'number':
      return numberField(schema, context.key);
    case 'boolean':
      return { kind: 'switch' };
    case 'array':
      return isSchema(schema.items) ? { kind: 'list', item: read(schema.items, below(context)) } : { kind: 'json' };
    case 'object':
      return objectField(schema, context);
    default:
      return { kind: 'json' };
  }
}

/** The type of a schema, ignoring null. */
function typeOf({ type }: Schema): unknown {
  return Array.isArray(type) ? type.find((each) => each !== 'null') : type;
}

function resolved(schema: Schema, root: Schema): Schema {
  const name = textIn(schema, '$ref')?.match(/^#\/\$defs\/(.+)$/)?.[1];
  const definitions = root.$defs;
  const found = name !== undefined && isSchema(definitions) ? definitions[name] : undefined;
  return isSchema(found) ? found : schema;
}

function below({ root, depth }: SchemaContext, key = ''): SchemaContext {
  return { root, key, depth: depth + 1 };
}

/** A nullable value is treated as optional. */
function unionOf(branches: readonly Schema[], context: SchemaContext): Field {
  const real = branches.filter((branch) => branch.type !== 'null');
  const [first] = real;
  if (first === undefined) return { kind: 'json' };
  if (real.length === 1) return read(first, context);
  const fields = real.map((branch) => read(branch, below(context, context.key)));
  return { kind: 'union', branches: fields.map((field, index) => ({ label: branchLabel(field, index), field })) };
}

function branchLabel(field: Field, index: number): string {
  if (field.kind === 'group') {
    const named = field.entries.find(({ isRequired }) => isRequired) ?? field.entries[0];
    return named === undefined ? `Form ${index + 1}` : `With ${named.title.toLowerCase()}`;
  }
  const words: Partial<Record<Field['kind'], string>> = { text: 'Text', list: 'List', switch: 'Yes or no' };
  return words[field.kind] ?? titleOf(field.kind);
}

function textField(schema: Schema, key: string): Field {
  const max = numberIn(schema, 'maxLength');
  const pattern = textIn(schema, 'pattern');
  const isLong = LONG_KEYS.has(key) || (max !== undefined && max > LONG_TEXT && pattern === undefined);
  return { kind: 'text', isLong, min: numberIn(schema, 'minLength') ?? 0, max, pattern };
}

function numberField(schema: Schema, key: string): Field {
  if (EPOCH.test(textIn(schema, 'description') ?? '')) return { kind: 'date-time' };
  if (key.endsWith('Ms')) return { kind: 'duration' };
  const above = numberIn(schema, 'exclusiveMinimum');
  const max = numberIn(schema, 'maximum');
  const range: Range = {
    min: above ?? numberIn(schema, 'minimum'),
    max: max === Number.MAX_SAFE_INTEGER ? undefined : max,
    isExclusive: above !== undefined,
  };
  return { kind: 'number', isInteger: typeOf(schema) === 'integer', range, unit: unitOf(key) };
}

function objectField(schema: Schema, context: SchemaContext): Field {
  const { properties, additionalProperties: others, propertyNames: names } = schema;
  if (isSchema(properties)) return { kind: 'group', entries: entriesIn(schema, properties, context) };
  if (!isSchema(others)) return { kind: 'json' };
  return {
    kind: 'map',
    item: read(others, below(context)),
    names: isSchema(names) ? (textsIn(names, 'enum') ?? []) : [],
  };
}

function entriesIn(schema: Schema, properties: Schema, context: SchemaContext): Entry[] {
  const needed = textsIn(schema, 'required') ?? [];
  return Object.entries(properties).flatMap(([key, value]): Entry[] => {
    if (!isSchema(value) || key.startsWith('$')) return [];
    const field = read(value, below(context, key));
    const about = textIn(value, 'description') ?? '';
    const entry = { key, title: titleOf(key), about, fallback: value.default, field };
    if (!needed.includes(key)) return [{ ...entry, isRequired: false }];
    const ifMissing = emptyValue(value, field);
    return [ifMissing === undefined ? { ...entry, isRequired: true } : { ...entry, isRequired: false, ifMissing }];
  });
}

/** The empty value of a required field, if the schema allows one: null, or an empty list or group. */
function emptyValue(schema: Schema, field: Field): unknown {
  const isNullable = Array.isArray(schema.type)
    ? schema.type.includes('null')
    : schemasIn(schema, 'anyOf')?.some(({ type }) => type === 'null');
  if (isNullable === true) return null;
  if (field.kind === 'list') return (numberIn(schema, 'minItems') ?? 0) === 0 ? [] : undefined;
  if (field.kind === 'map') return {};
  return field.kind === 'group' && field.entries.every(({ isRequired }) => !isRequired)
    ? completed(field.entries, {})
    : undefined;
}

/** The values of a form, completed with empty values that the schema requires. */
export function completed(
  entries: readonly Entry[],
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const missing = entries.filter(({ key, ifMissing }) => ifMissing !== undefined && values[key] === undefined);
  return { ...values, ...Object.fromEntries(missing.map(({ key, ifMissing }) => [key, ifMissing])) };
}

/** Units that setting names end with; the form shows them beside the number. */
const UNITS: readonly [RegExp, string][] = [
  [/Seconds$/, 'seconds'],
  [/Ms$/, ''],
  [/Bytes$/, 'bytes'],
  [/Mb$/, 'MB'],
  [/Usd$/, 'US dollars'],
];
const WORDS: Readonly<Record<string, string>> = {
  cli: 'CLI',
  mcp: 'MCP',
  pr: 'Pull requests',
  env: 'Environment',
  args: 'Arguments',
  dir: 'Folder',
  dirs: 'folders',
  openai: 'OpenAI',
  ccswitch: 'CC Switch',
};

/** The title of a setting: `maxParallel` becomes "Max parallel". */
function titleOf(key: string): string {
  const bare = UNITS.reduce((name, [unit]) => name.replace(unit, ''), key) || key;
  const words = bare
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[-_.]/g, ' ')
    .toLowerCase()
    .split(' ')
    .map((word) => WORDS[word] ?? word);
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The unit of a number, derived from its name. */
function unitOf(key: string): string | undefined {
  if (key === 'budget' || key === 'spend') return 'US dollars';
  if (key === 'seconds') return 'seconds';
  return UNITS.find(([unit]) => unit.test(key))?.[1];
}
