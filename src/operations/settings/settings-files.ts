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
import { HIDDEN, isHiddenSetting } from './masked-text.ts';

/** The scope of settings: one project, or all projects of a user. */
const SettingsScope = z.enum(['project', 'user']);
type SettingsScope = z.infer<typeof SettingsScope>;

/** A settings file and the resulting effective settings. */
export const SettingsDocument = z.object({
  file: z.string(),
  exists: z.boolean(),
  text: z.string(),
  values: z.record(z.string(), z.unknown()).describe('The values in the file itself.'),
  effective: z.record(z.string(), z.unknown()).describe('The effective values: all files together, over the defaults.'),
  origins: z
    .record(z.string(), z.enum(['default', 'user', 'project']))
    .describe('Where the value of each setting comes from.'),
  schema: z.record(z.string(), z.unknown()).describe('The JSON Schema of a settings file.'),
  hash: z.string().describe('The hash of the text; a change is rejected if the file has another hash by then.'),
});
export type SettingsDocument = z.infer<typeof SettingsDocument>;

/** The selected settings file: the user's, or that of the folder's project. */
export const SettingsRef = { dir: z.string().optional(), scope: SettingsScope };
export type SettingsRef = { dir?: string | undefined; scope: SettingsScope };

/** Maps whose values may be secrets: they can be written, but are never shown. */
const HIDDEN_MAPS: ReadonlySet<string> = new Set(['env', 'headers']);

/** A settings file and the resulting effective settings; values that may be secret are hidden. */
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

/** The path of the selected settings file. */
export async function settingsTarget(
  env: NodeJS.ProcessEnv,
  { dir, scope }: SettingsRef,
): Promise<{ scope: ConfigScope; place: ConfigLocation }> {
  const root = dir === undefined ? undefined : await findProjectRoot(dir);
  if (scope === 'project' && root === undefined) {
    const where = dir === undefined ? 'Specify a folder of the project (dir)' : `${dir} is not in a repository`;
    throw new AppError('NOT_A_REPOSITORY', `${where}; settings of a project are kept in its repository`, { dir });
  }
  return {
    scope: scope === 'user' ? 'global' : 'project',
    place: { env, ...(root === undefined ? {} : { dir: root }) },
  };
}

/** The files that determine an effective value: those of the user, and in the scope `project` also those of the project. */
export async function settingsLocation(env: NodeJS.ProcessEnv, { dir, scope }: SettingsRef): Promise<ConfigLocation> {
  const root = scope === 'user' || dir === undefined ? undefined : await findProjectRoot(dir);
  return { env, ...(root === undefined ? {} : { dir: root }) };
}

/** One setting in a file; a user setting is still validated together with the project of the folder. */
export async function settingTarget(
  env: NodeJS.ProcessEnv,
  { key, dir, scope }: SettingsRef & { key: string },
): Promise<ConfigTarget> {
  const location = await settingsLocation(env, { dir, scope: 'project' });
  return { key, scope: scope === 'user' ? 'global' : 'project', place: location };
}

/** A value as an entry point may show it: possible secrets are shown only to the user at the terminal. */
export function shownValue(path: readonly string[], value: unknown, { actor, via }: Origin): unknown {
  return via === 'cli' && actor.kind === 'person' ? value : hiddenValue(path, value);
}

/** A value without what may be secret in it. */
export function hiddenValue(path: readonly string[], value: unknown): unknown {
  const parent = path.findIndex((name) => HIDDEN_MAPS.has(name));
  if (parent >= 0 && parent < path.length - 1) return HIDDEN;
  return hide({ [path.at(-1) ?? '']: value })[path.at(-1) ?? ''];
}

/** Hides the values of variables and headers, and settings that are secrets. */
function hide(settings: Plain): Plain {
  return Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, hideIn(key, value)]));
}

function hideIn(key: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => hideIn(key, item));
  if (!isPlain(value)) return isHiddenSetting(key, value) ? HIDDEN : value;
  return HIDDEN_MAPS.has(key) ? Object.fromEntries(Object.keys(value).map((name) => [name, HIDDEN])) : hide(value);
}

/** The same for the text of the file; replaces the last occurrence first, so that earlier offsets stay valid. */
function hideText(text: string, document: Document): string {
  const places: [number, number][] = [];
  visit(document, {
    Pair: (_, { key, value }) => {
      if (!isScalar(key)) return;
      if (isScalar(value) && value.range != null && isHiddenSetting(String(key.value), value.value))
        places.push([value.range[0], value.range[1]]);
      if (!HIDDEN_MAPS.has(String(key.value)) || !isMap(value)) return;
      for (const item of value.items) {
        const range = isNode(item.value) ? item.value.range : undefined;
        if (range != null) places.push([range[0], range[1]]);
      }
    },
  });
  places.sort((a, b) => b[0] - a[0]);
  return places.reduce((shown, [from, to]) => `${shown.slice(0, from)}${HIDDEN}${shown.slice(to)}`, text);
}

/** Rejects the placeholder of a hidden value as a new value. */
export function requireShown(path: readonly string[], value: unknown): void {
  if (!JSON.stringify(value ?? '').includes(HIDDEN)) return;
  const key = path.join('.');
  throw new AppError(
    'INPUT_INVALID',
    `${key}: ${HIDDEN} is the placeholder of a hidden value; write the value itself`,
    {
      key,
    },
  );
}

/** The settings that decide what is held, approved and landed, and what programs may see. */
const DECIDING: ReadonlySet<string> = new Set([
  ...['assistant', 'approve', 'autoApprove', 'autoPr', 'mode', 'stopAfterGenerate', 'land'],
  ...['checks', 'guards', 'policy', 'risks', 'secrets', 'verify', 'sandbox', 'sandboxPaths', 'network', 'trust'],
]);

/** Why the change of a setting is for a person. */
export function reservedSetting([first = '']: readonly string[]): string | undefined {
  return DECIDING.has(first) ? `changing the setting ${first}` : undefined;
}

/** The hash that a writer passes to show which text it read. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
