import { describeConfig } from './describe.ts';
import { type ConfigOrigin, type LoadedConfig, originOf } from './load.ts';
import { isPlain, valueAt } from './merge.ts';

/** A setting with its value in force and where that comes from. */
export type ConfigEntry = { key: string; value: unknown; from: ConfigOrigin; type: string; description: string };

/** Every setting, with the names of one's own filled in; one without a value has none. */
export function listConfig({ config, ...loaded }: LoadedConfig): ConfigEntry[] {
  return describeConfig().flatMap(({ key, type, description }) =>
    pathsOf(config, key.split('.')).map((path) => {
      const value = valueAt(config, path);
      return { key: path.join('.'), value: value ?? null, from: originOf(loaded, path), type, description };
    }),
  );
}

function pathsOf(config: unknown, path: readonly string[]): string[][] {
  const at = path.indexOf('<name>');
  if (at < 0) return [[...path]];
  const parent = path.slice(0, at);
  const named = valueAt(config, parent);
  const names = isPlain(named) ? Object.keys(named) : [];
  return names.map((name) => [...parent, name, ...path.slice(at + 1)]);
}
