import { createHash } from 'node:crypto';
import { type Document, isMap, isNode, isScalar, visit } from 'yaml';
import { z } from 'zod';
import type { FilesPort } from '../../app/view-interfaces.ts';
import { changeConfig } from '../../config/edit.ts';
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
import { Config } from '../../schema/config.ts';
import type { SettingsDocument, SettingsScope } from '../../schema/settings-document.ts';

type Asked = { dir?: string | undefined; scope: SettingsScope };

/** Maps whose values may be secrets: they are written, and never shown. */
const HIDDEN_MAPS: ReadonlySet<string> = new Set(['env', 'headers']);
const HIDDEN = '[hidden]';

/** Reads and writes files of settings for a form, by the same way as `config set`. */
export function settingsFiles(env: NodeJS.ProcessEnv): Pick<FilesPort, 'readSettings' | 'writeSettings'> {
  return {
    readSettings: (asked) => read(env, asked),
    writeSettings: async ({ changes, hash, ...asked }) => {
      for (const { path, value } of changes) requireShown(path, value);
      const { scope, place } = await targetOf(env, asked);
      await changeConfig({
        scope,
        place,
        changes: changes.map(({ path, value }) => (value === undefined ? { path } : { path, value })),
        expects: (text, file) => {
          if (hashOf(text) === hash) return;
          throw new AppError('CONFLICT', `${file} was changed meanwhile: read it again`, { file });
        },
      });
      return read(env, asked);
    },
  };
}

async function read(env: NodeJS.ProcessEnv, asked: Asked): Promise<SettingsDocument> {
  const { scope, place } = await targetOf(env, asked);
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

async function targetOf(
  env: NodeJS.ProcessEnv,
  { dir, scope }: Asked,
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

/** What stands for a hidden value must not be written in its place. */
function requireShown(path: readonly string[], value: unknown): void {
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

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
