import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Document, isCollection, isNode, type Node, parseDocument } from 'yaml';
import { AppError, messageOf } from '../errors.ts';
import type { Config } from '../schema/config.ts';
import { nearest } from '../schema/nearest.ts';
import { allowedAt, describeConfig, keysAt } from './describe.ts';
import { type ConfigLocation, type ConfigScope, configFile, readConfigText } from './files.ts';
import { combineLayers, type LayerText } from './load.ts';
import { isPlain, type Plain } from './merge.ts';
import { parseConfig, presentPath } from './parse.ts';
import { writeWhole } from './write.ts';

const LIST = 'list of text';

const ITEM = /^[^\s,]+$/;

/** A file of settings before and after a change, and the settings that all files give together. */
export type ConfigChange = { before: Plain; after: Plain; config: Config };

/** The file of a scope; `judge` may refuse a change before it is written. */
export type ConfigFileTarget = {
  scope: ConfigScope;
  place: ConfigLocation;
  judge?: (change: ConfigChange) => Promise<void>;
};

/** One setting in one scope. */
export type ConfigTarget = ConfigFileTarget & { key: string };

/** Sets a value (YAML text) and keeps comments and order; judged with all layers before anything is written. */
export async function setConfig(target: ConfigTarget, valueText: string): Promise<{ file: string; value: unknown }> {
  const path = requireKey(target.key);
  const value = commaList(path, parseValue(target.key, valueText));
  const file = requireFile(target);
  const text = (await readConfigText(file)) ?? '';
  const { document } = parseConfig(text, file);
  put(document, path, value);
  await save(target, { file, before: text, document });
  return { file, value };
}

/** Some settings of one scope, each at its path; one without a value is removed. `expects` judges the text that is there now. */
export type ConfigChanges = ConfigFileTarget & {
  changes: readonly { path: string[]; value?: unknown }[];
  expects: (text: string, file: string) => void;
};

/** Makes all the changes or none, and keeps comments and order; judged with all layers before anything is written. */
export async function changeConfig({ changes, expects, ...target }: ConfigChanges): Promise<void> {
  const file = requireFile(target);
  const text = (await readConfigText(file)) ?? '';
  expects(text, file);
  const { document } = parseConfig(text, file);
  for (const { path, value } of changes) {
    requirePath(path);
    if (value === undefined || value === null) remove(document, path);
    else put(document, path, value);
  }
  await save(target, { file, before: text, document });
}

/** Removes a setting, and the maps that this leaves empty; one that is not set there is refused. */
export async function unsetConfig(target: ConfigTarget): Promise<{ file: string }> {
  const path = requireKey(target.key);
  const file = requireFile(target);
  const text = (await readConfigText(file)) ?? '';
  const { document } = parseConfig(text, file);
  if (!document.hasIn(path))
    throw new AppError('CONFIG_KEY_UNKNOWN', `${target.key} is not set in ${file}`, { key: target.key, file });
  remove(document, path);
  await save(target, { file, before: text, document });
  return { file };
}

function put(document: Document, path: readonly string[], value: unknown): void {
  makeMaps(document, path);
  document.setIn(path, isPlain(value) || Array.isArray(value) ? withComments(document, path, value) : value);
}

function remove(document: Document, path: readonly string[]): void {
  if (!document.hasIn(path)) return;
  document.deleteIn(path);
  for (let depth = path.length - 1; depth > 0; depth -= 1) {
    const parent = document.getIn(path.slice(0, depth));
    if (isCollection(parent) && parent.items.length === 0) document.deleteIn(path.slice(0, depth));
  }
}

function parseValue(key: string, text: string): unknown {
  const document = parseDocument(text, { prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined)
    throw new AppError('USAGE', `The value of ${key} is not YAML: ${error.message}`, { key, text });
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch (thrown) {
    throw new AppError('USAGE', `The value of ${key} cannot be used: ${messageOf(thrown)}`, { key, text });
  }
}

function requireFile({ scope, place }: ConfigFileTarget): string {
  const file = configFile(scope, place);
  if (file !== undefined) return file;
  throw new AppError(
    'NOT_A_REPOSITORY',
    'Here is no repository to keep settings for; --global sets them for all projects',
  );
}

/** A key with nothing behind it is an empty map in the eyes of a person. */
function makeMaps(document: Document, path: readonly string[]): void {
  for (let depth = 1; depth < path.length; depth += 1) {
    const prefix = path.slice(0, depth);
    if (document.hasIn(prefix) && document.getIn(prefix) === null) document.setIn(prefix, document.createNode({}));
  }
}

/** A list or map in place of the old node, with the comments around that one. */
function withComments(document: Document, path: readonly string[], value: unknown): Node {
  const node = document.createNode(value);
  const old = document.getIn(path, true);
  if (isNode(old)) Object.assign(node, { comment: old.comment, commentBefore: old.commentBefore });
  return node;
}

/** Replaces the whole text of a file, also of one that cannot be read; the new text is judged with all layers before it is written. */
export async function replaceConfig(
  target: ConfigFileTarget,
  change: (text: string, file: string) => string,
): Promise<void> {
  const file = requireFile(target);
  const text = change((await readConfigText(file)) ?? '', file);
  parseConfig(text, file);
  await write(target, file, text);
}

type Edited = { file: string; before: string; document: Document };

async function save(target: ConfigFileTarget, { file, before, document }: Edited): Promise<void> {
  await write(target, file, inStyleOf(before, document));
}

async function write({ scope, place, judge }: ConfigFileTarget, file: string, text: string): Promise<void> {
  const texts: LayerText[] = [];
  for (const layer of ['global', 'project'] as const) {
    const path = configFile(layer, place);
    const content = layer === scope ? text : path === undefined ? undefined : await readConfigText(path);
    if (path !== undefined && content !== undefined) texts.push({ scope: layer, file: path, text: content });
  }
  const { config } = combineLayers(texts);
  await judge?.({ before: await valuesIn(file), after: parseConfig(text, file).value, config });
  if (scope === 'project') await requireInside(file, place.dir ?? dirname(file));
  await writeWhole(file, text, { isPrivate: scope === 'global' });
}

/** The settings of a file; a broken one has none. */
async function valuesIn(file: string): Promise<Plain> {
  const text = (await readConfigText(file)) ?? '';
  try {
    return parseConfig(text, file).value;
  } catch {
    return {}; // It is being repaired, and everything in it is judged.
  }
}

/** A link that a repository brings must not have us write elsewhere. */
async function requireInside(file: string, root: string): Promise<void> {
  const [target, top] = await Promise.all([file, root].map((path) => realpath(path).catch(() => path)));
  if (target === undefined || top === undefined || target.startsWith(`${top}/`) || target === file) return;
  throw new AppError('CONFIG_INVALID', `${file} is a link that leads out of the project, to ${target}`, {
    file,
    target,
  });
}

function inStyleOf(before: string, document: Document): string {
  const indent = /^( +)[^\s#-]/m.exec(before)?.[1]?.length ?? 2;
  const indentSeq = !/:[ \t]*\r?\n-\s/.test(before);
  const text = document.toString({ indent: Math.min(Math.max(indent, 1), 8), indentSeq, lineWidth: 0 });
  const whole = document.contents === null || text === '{}\n' ? text.replace(/^(null|\{\})\n$/, '') : text;
  return before.includes('\r\n') ? whole.replaceAll(/\r?\n/g, '\r\n') : whole;
}

/** Items between commas as a list, where a list of texts is expected; commas in parentheses do not separate. Any other value is returned unchanged. */
function commaList(path: readonly string[], value: unknown): unknown {
  if (typeof value !== 'string' || allowedAt(path) !== LIST) return value;
  const items = value.split(/,(?![^(]*\))/).map((item) => item.trim());
  return items.every((item) => ITEM.test(item.replaceAll(/\([^)]*\)/g, ''))) ? items : value;
}

/** The path of a key as typed (`limits.agents`); a key that no setting has is refused with the nearest one. */
export function requireKey(key: string): string[] {
  return requirePath(presentPath(key.split('.')));
}

/** A path as separate parts; a part may hold dots. */
function requirePath(path: string[]): string[] {
  if (path.every((part) => part !== '' && part !== '__proto__') && allowedAt(path) !== undefined) return path;
  const key = path.join('.');
  const known = describeConfig().map((setting) => setting.key);
  const suggested = nearest(key, [...known, ...keysAt([])]);
  const suggestion = suggested === undefined ? '' : `; did you mean ${suggested}?`;
  throw new AppError('CONFIG_KEY_UNKNOWN', `There is no setting "${key}"${suggestion}`, { key, known });
}
