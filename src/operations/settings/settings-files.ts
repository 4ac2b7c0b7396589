import { createHash } from 'node:crypto';
import { type Document, isMap, isNode, isScalar, visit } from 'yaml';
import { z } from 'zod';
import type { ConfigTarget } from '../../config/edit.ts';
import {
  type ConfigLocation,
  type ConfigScope,
  configFile,
  findProjectRoot,
  readConfigText,
} from '../../config/files.ts';
import { listConfig } from '../../config/list.ts';
import { loadLayers } from '../../config/load.ts';
import { isPlain, type Plain } from '../../config/merge.ts';
import { parseConfig } from '../../config/parse.ts';
import { AppError } from '../../errors.ts';
import type { Origin } from '../../schema/actor.ts';
import { Config } from '../../schema/config.ts';

/** Whose settings: those of a project, or a person's own for all of them. */
const SettingsScope = z.enum(['project', 'user']);
type SettingsScope = z.infer<typeof SettingsScope>;

/** A file of settings as it stands, and what holds because of it. */
export const SettingsDocument = z.object({
  file: z.string(),
  exists: z.boolean(),
  text: z.string(),
  values: z.record(z.string(), z.unknown()).describe('What the file itself says.'),
  effective: z.record(z.string(), z.unknown()).describe('What holds: all files together, over the defaults.'),
  origins: z
    .record(z.string(), z.enum(['default', 'user', 'project']))
    .describe('Where the value of each setting comes from.'),
  schema: z.record(z.string(), z.unknown()).describe('The JSON Schema of a file of settings.'),
  hash: z.string().describe('Names the text; a change is refused when the file has another one by then.'),
});
export type SettingsDocument = z.infer<typeof SettingsDocument>;

/** Which file of settings: the user's, or that of the folder's project. */
export const SettingsRef = { dir: z.string().optional(), scope: SettingsScope };
export type SettingsRef = { dir?: string | undefined; scope: SettingsScope };

/** Maps whose values may be secrets: they are written, and never shown. */
const HIDDEN_MAPS: ReadonlySet<string> = new Set(['env', 'headers']);
const HIDDEN = '[hidden]';

/** A file of settings and what is in force because of it; values that may be secret are hidden. */
export async function readSettingsFile(env: NodeJS.ProcessEnv, ref: SettingsRef): Promise<SettingsDocument> {
  const { scope, place } = await settingsTarget(env, ref);
  const file = configFile(scope, place) ?? '';
  const found = await readConfigText(file);
  const text = found ?? '';
  const loaded = await loadLayers(place);
  const { document, value } = parseConfig(text, file);
  const origins = listConfig(loaded).map(({ key, from }) => [key, from === 'global' ? 'user' : from]);
  return {
    file,
    exists: found !== undefined,
    text: hideText(text, document),
    values: hide(value),
    effective: hide(loaded.config),
    origins: Object.fromEntries(origins),
    schema: { ...z.toJSONSchema(Config, { io: 'input' }) },
    hash: hashOf(text),
  };
}

/** The file of settings that is selected. */
export async function settingsTarget(
  env: NodeJS.ProcessEnv,
  { dir, scope }: SettingsRef,
): Promise<{ scope: ConfigScope; place: ConfigLocation }> {
  const root = dir === undefined ? undefined : await findProjectRoot(dir);
  if (scope === 'project' && root === undefined) {
    const where = dir === undefined ? 'Name a folder of the project (dir)' : `${dir} is in no repository`;
    throw new AppError('NOT_A_REPOSITORY', `${where}; settings of a project are kept in its repository`, { dir });
  }
  return {
    scope: scope === 'user' ? 'global' : 'project',
    place: { env, ...(root === undefined ? {} : { dir: root }) },
  };
}

/** The files that are read for a value in force: those of the user, and in the scope `project` also those of its project. */
export async function settingsLocation(env: NodeJS.ProcessEnv, { dir, scope }: SettingsRef): Promise<ConfigLocation> {
  const root = scope === 'user' || dir === undefined ? undefined : await findProjectRoot(dir);
  return { env, ...(root === undefined ? {} : { dir: root }) };
}

/** One setting in a file; a setting of the user is still checked together with the project of the folder. */
export async function settingTarget(
  env: NodeJS.ProcessEnv,
  { key, dir, scope }: SettingsRef & { key: string },
): Promise<ConfigTarget> {
  const location = await settingsLocation(env, { dir, scope: 'project' });
  return { key, scope: scope === 'user' ? 'global' : 'project', place: location };
}

/** A value as an entry point may show it: what may be secret is shown only to the user at the terminal. */
export function shownValue(path: readonly string[], value: unknown, { actor, via }: Origin): unknown {
  return via === 'cli' && actor.kind === 'person' ? value : hiddenValue(path, value);
}

/** A value without what may be secret in it. */
export function hiddenValue(path: readonly string[], value: unknown): unknown {
  const parent = path.findIndex((name) => HIDDEN_MAPS.has(name));
  if (parent >= 0 && parent < path.length - 1) return HIDDEN;
  return hide({ [path.at(-1) ?? '']: value })[path.at(-1) ?? ''];
}

/** Without the values of variables and headers. */
function hide(settings: Plain): Plain {
  const shown = Object.entries(settings).map(([key, value]): [string, unknown] => {
    if (!isPlain(value)) return [key, value];
    if (!HIDDEN_MAPS.has(key)) return [key, hide(value)];
    return [key, Object.fromEntries(Object.keys(value).map((name) => [name, HIDDEN]))];
  });
  return Object.fromEntries(shown);
}

/** The same for the text of the file, the last place first, so that the others stay where they are. */
function hideText(text: string, document: Document): string {
  const places: [number, number][] = [];
  visit(document, {
    Pair: (_, { key, value }) => {
      if (!isScalar(key) || !HIDDEN_MAPS.has(String(key.value)) || !isMap(value)) return;
      for (const item of value.items) {
        const range = isNode(item.value) ? item.value.range : undefined;
        if (range != null) places.push([range[0], range[1]]);
      }
    },
  });
  places.sort((a, b) => b[0] - a[0]);
  return places.reduce((shown, [from, to]) => `${shown.slice(0, from)}${HIDDEN}${shown.slice(to)}`, text);
}

/** The text that replaces a hidden value must not be written as the value. */
export function requireShown(path: readonly string[], value: unknown): void {
  if (!JSON.stringify(value ?? '').includes(HIDDEN)) return;
  const key = path.join('.');
  throw new AppError(
    'INPUT_INVALID',
    `${key}: ${HIDDEN} stands for a value that is not shown; write the value itself`,
    {
      key,
    },
  );
}

/** The hash by which a writer shows which text it read. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
