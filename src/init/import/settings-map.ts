import { mergeConfig, type Plain, valueAt } from '../../config/merge.ts';
import type { Setting } from './key-mapping.ts';

/** Settings as the map that a file of ours holds; of two for the same key the first counts. */
export function settingsMap(settings: readonly Setting[]): Plain {
  const all = [...settings, ...settings.flatMap(agentKind)];
  return all.reduce<Plain>((map, { to, value }) => {
    const path = to.split('.');
    return valueAt(map, path) === undefined ? mergeConfig(map, nest(path, value)) : map;
  }, {});
}

/** The command that sets a setting which was held back, safe to paste whatever its value. */
export function takingCommand({ to, value }: Setting): string {
  return `manyhands config set ${to} '${JSON.stringify(value).replaceAll("'", `'\\''`)}'`;
}

/** A named agent needs a kind. */
function agentKind({ to }: Setting): Setting[] {
  const name = /^agents\.([a-z]+)\./.exec(to)?.[1];
  return name === undefined ? [] : [{ to: `agents.${name}.kind`, value: name }];
}

function nest(path: readonly string[], value: unknown): Plain {
  const [first = '', ...rest] = path;
  return { [first]: rest.length === 0 ? value : nest(rest, value) };
}
