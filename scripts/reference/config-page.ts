import { type ConfigKey, describeConfig } from '../../src/config/describe.ts';
import { code, codeBlock, type Page, referencePage, table } from './markdown.ts';

const EXAMPLE = `checks: ["npm test", "npm run lint"]
workspace:
  setup: ["npm ci"]
limits:
  agents: 4
budget:
  run: 5
agents:
  mine: { kind: command, command: ./tools/agent.sh }`;

/** Every setting: key, type, default and meaning. */
export function configPage(): Page {
  return referencePage('config', 'Settings', [
    'A project keeps its settings in `.manyhands/config.yaml`, a person keeps their own in `~/.config/manyhands/config.yaml` (below `$XDG_CONFIG_HOME`, if that is set). Settings of the project override those of the person, which override the defaults (rules for containment can only be tightened by a project). Maps are merged key by key; a list replaces the list below it. Options of the command line override all of them; `--check` adds to `checks`.',
    codeBlock('yaml', EXAMPLE),
    '`mh config list` prints every setting with its value and its origin; `mh config set <key> <value>` writes one and keeps the comments of the file. A mistake is reported with file, line and key, and nothing is started. A run keeps the settings it started with. `<name>` below stands for a name of your own.',
    ...groups().flatMap(([name, keys]) => [`## ${name}`, table(['key', 'type', 'default', 'meaning'], keys.map(row))]),
  ]);
}

function groups(): [string, ConfigKey[]][] {
  const found = new Map<string, ConfigKey[]>();
  for (const key of describeConfig()) {
    const name = key.key.split('.')[0] ?? '';
    found.set(name, [...(found.get(name) ?? []), key]);
  }
  return [...found];
}

function row({ key, type, default: value, description }: ConfigKey): string[] {
  return [code(key), type, code(value === undefined ? '' : JSON.stringify(value)), description];
}
