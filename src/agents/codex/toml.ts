/** What a setting can be given as on a command line that is read as TOML. */
export type TomlValue = string | boolean | readonly string[] | TomlTable;
interface TomlTable {
  readonly [key: string]: TomlValue;
}

/** A value in TOML, on one line; any text comes out again letter for letter. */
export function toToml(value: TomlValue): string {
  if (typeof value === 'string') return text(value);
  if (typeof value === 'boolean') return String(value);
  if (isList(value)) return `[${value.map(text).join(',')}]`;
  const entries = Object.entries(value).map(([key, inner]) => `${text(key)}=${toToml(inner)}`);
  return `{${entries.join(',')}}`;
}

/** A quoted text of TOML is one of JSON, but that it knows no halves of characters and wants DEL escaped. */
function text(value: string): string {
  return JSON.stringify(value.toWellFormed()).replaceAll('\u007f', '\\u007f');
}

function isList(value: TomlValue): value is readonly string[] {
  return Array.isArray(value);
}
