/** A value that can be passed on a command line as TOML. */
export type TomlValue = string | boolean | readonly string[] | TomlTable;
interface TomlTable {
  readonly [key: string]: TomlValue;
}

/** A value as TOML on one line; any string survives unchanged. */
export function toToml(value: TomlValue): string {
  if (typeof value === 'string') return text(value);
  if (typeof value === 'boolean') return String(value);
  if (isList(value)) return `[${value.map(text).join(',')}]`;
  const entries = Object.entries(value).map(([key, inner]) => `${text(key)}=${toToml(inner)}`);
  return `{${entries.join(',')}}`;
}

/** A quoted TOML string is a JSON string without lone surrogates and with DEL escaped. */
function text(value: string): string {
  return JSON.stringify(value.toWellFormed()).replaceAll('\u007f', '\\u007f');
}

function isList(value: TomlValue): value is readonly string[] {
  return Array.isArray(value);
}
