import { Document, isMap, isScalar } from 'yaml';
import { configFile, readConfigText } from '../config/files.ts';
import { combineLayers, type LayerText, loadLayers } from '../config/load.ts';
import { isPlain, mergeConfig, type Plain, valueAt } from '../config/merge.ts';
import { AppError } from '../errors.ts';
import { git } from '../git/git.ts';
import { realWorld, type World } from '../world.ts';
import { writeAgentsMd } from './agents-md.ts';
import { createFile } from './create-file.ts';
import type { Detection } from './detect.ts';
import { type Choices, draftSettings, type Part } from './draft.ts';
import type { Imported } from './import/import-project.ts';
import type { NewFile, Setting } from './import/key-mapping.ts';
import { settingsMap } from './import/settings-map.ts';
import type { InitDocument, InitFile } from './init-document.ts';
import { pathExists, requireInsideProject } from './project-path.ts';
import { refreshSchema, SCHEMA_NAME } from './schema-file.ts';

const HEAD = [
  ` yaml-language-server: $schema=./${SCHEMA_NAME}`,
  ' Settings of Manyhands for this project; the whole list: manyhands config list',
].join('\n');

export type InitRequest = {
  detection: Detection;
  choices: Choices;
  imported: Imported | null;
  /** Settings that let agents do more and that a person agreed to. */
  agreed: readonly Setting[];
  agentsMd: boolean;
  /** Replaces files of instructions instead of adding to them; a backup is kept. */
  force?: boolean;
  dryRun: boolean;
  env: NodeJS.ProcessEnv;
};

const CONFIG = '.manyhands/config.yaml';

/** Sets a project up: new files only, all of them judged before the first is written, nothing of the user's replaced. */
export async function initProject(request: InitRequest, world: World = realWorld): Promise<InitDocument> {
  const { detection, imported, dryRun } = request;
  const { root } = detection;
  const parts = partsOf(request);
  const file = await requireInsideProject(root, CONFIG);
  const isThere = await pathExists(file);
  const text = renderSettings(parts);
  requireValid(text, file, await globalLayer(request.env));
  const missing = isThere ? missingFrom(await existingSettings(request), settingsOf(parts)) : {};
  const drafts = [...(imported?.files ?? []), ...(isThere ? [] : [{ path: CONFIG, text }])];
  const files: InitFile[] = [...(isThere ? [keptFile(CONFIG)] : []), await refreshSchema(root, dryRun, world)];
  for (const each of drafts) files.push(await make(root, each, { dryRun, world }));
  if (request.agentsMd) {
    const force = request.force === true;
    files.push(...(await writeAgentsMd({ root, remove: false, dryRun, force }, world)));
  }
  return {
    root,
    dryRun,
    detected: detectedOf(detection),
    files,
    missing: Object.keys(missing).length === 0 ? null : yamlOf(missing),
    imported: imported?.entries ?? [],
    notes: [...detection.notes, ...(imported?.notes ?? [])],
  };
}

/** What was detected, below what was imported and agreed to. */
function partsOf({ detection, choices, imported, agreed }: InitRequest): Part[] {
  const above = settingsMap([...(imported?.settings ?? []), ...agreed]);
  const testCommand = valueAt(above, ['project', 'testCommand']);
  const checks = choices.checks.filter(({ run }) => run !== testCommand);
  const drafted = draftSettings(detection, { ...choices, checks });
  const parts = drafted.map((part) => ({ ...part, value: over(part.value, above[part.key]) }));
  const others = Object.entries(above).filter(([key]) => !drafted.some((part) => part.key === key));
  return [...parts, ...others.map(([key, value]) => ({ key, value, comment: 'Imported.', alternatives: [] }))];
}

function over(below: unknown, above: unknown): unknown {
  if (above === undefined) return below;
  return isPlain(below) && isPlain(above) ? mergeConfig(below, above) : above;
}

function settingsOf(parts: readonly Part[]): Plain {
  return Object.fromEntries(parts.map(({ key, value }) => [key, value]));
}

async function globalLayer(env: NodeJS.ProcessEnv): Promise<LayerText[]> {
  const file = configFile('global', { env });
  const text = file === undefined ? undefined : await readConfigText(file);
  return file === undefined || text === undefined ? [] : [{ scope: 'global', file, text }];
}

async function existingSettings({ detection, env }: InitRequest): Promise<Plain> {
  const { layers } = await loadLayers({ dir: detection.root, env });
  return layers.find(({ scope }) => scope === 'project')?.value ?? {};
}

async function make(
  root: string,
  file: NewFile,
  { dryRun, world }: { dryRun: boolean; world: World },
): Promise<InitFile> {
  const path = await requireInsideProject(root, file.path);
  const action = dryRun ? ((await pathExists(path)) ? 'kept' : 'written') : await createFile(root, file, world);
  return action === 'kept' ? keptFile(file.path) : { path: file.path, action, backup: null, note: null };
}

function keptFile(path: string): InitFile {
  return { path, action: 'kept', backup: null, note: 'it is there already' };
}

function detectedOf(detection: Detection): InitDocument['detected'] {
  const { frameworks, packageManagers, monorepo, checks, setup, privateFiles, base, forge } = detection;
  return { frameworks, packageManagers, monorepo, checks, setup, privateFiles, base, forge };
}

/** The top of the repository around a folder, as git sees it; undefined where there is none. One without a commit counts. */
export async function repositoryRoot(dir: string): Promise<string | undefined> {
  const args = ['rev-parse', '--show-toplevel'];
  const { code, stdout, stderr } = await git(args, { cwd: dir, asUser: true, allow: [0, 128] });
  if (code === 0) return stdout.replace(/\n$/, '');
  if (/not a git repository/i.test(stderr)) return undefined;
  const [line = ''] = stderr
    .trim()
    .replace(/^fatal: /, '')
    .split('\n', 1);
  const isBare = /must be run in a work tree/.test(line);
  const reason = isBare ? 'it has no work tree; clone it, and run the command in the clone' : line;
  throw new AppError('REPOSITORY_UNSUPPORTED', `${dir} cannot be set up: ${reason}`, { dir, reason });
}

/** Makes a folder a git repository, as the user's own git would, and gives its top. */
export async function makeRepository(dir: string): Promise<string> {
  await git(['init', '--quiet'], { cwd: dir, asUser: true });
  return dir;
}

/** The text of a new settings file. Values are written by the YAML library, so that none can become anything else. */
function renderSettings(parts: readonly Part[]): string {
  const shown = parts.filter(({ value, alternatives }) => !isEmpty(value) || alternatives.length > 0);
  const value = Object.fromEntries(shown.filter((part) => !isEmpty(part.value)).map((part) => [part.key, part.value]));
  const document = new Document({ $schema: `./${SCHEMA_NAME}`, ...value });
  document.commentBefore = HEAD;
  for (const { key, comment, alternatives } of shown) {
    const pair = isMap(document.contents)
      ? document.contents.items.find((item) => isScalar(item.key) && item.key.value === key)
      : undefined;
    const text = commentText(comment, alternatives, pair === undefined ? key : undefined);
    if (isScalar(pair?.key)) {
      pair.key.commentBefore = text;
      pair.key.spaceBefore = true;
    } else document.comment = document.comment ? `${document.comment}\n\n${text}` : text;
  }
  return document.toString({ lineWidth: 0 });
}

/** Settings as a piece of YAML to read. */
function yamlOf(value: Plain): string {
  return new Document(value).toString({ lineWidth: 0 });
}

/** Validates a text as if it were its file, together with the settings below it; errors are thrown with their location. */
function requireValid(text: string, file: string, below: readonly LayerText[]): void {
  combineLayers([...below, { scope: 'project', file, text }]);
}

/** What a settings file lacks: whole keys only, so that nothing of the user's is changed. */
function missingFrom(existing: Plain, proposed: Plain): Plain {
  const missing: Plain = {};
  for (const [key, value] of Object.entries(proposed)) {
    const old = existing[key];
    if (old === undefined && isEmpty(value)) continue;
    if (old === undefined) missing[key] = value;
    else if (isPlain(old) && isPlain(value)) {
      const inner = missingFrom(old, value);
      if (Object.keys(inner).length > 0) missing[key] = inner;
    }
  }
  return missing;
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isPlain(value) && Object.keys(value).length === 0;
}

/** A part that is not set becomes a comment with its key, ready to be used. */
function commentText(comment: string, alternatives: readonly string[], unset: string | undefined): string {
  const shown = unset === undefined ? alternatives : [`${unset}:`, ...alternatives.map((line) => `  ${line}`)];
  return [comment, ...shown]
    .flatMap((line) => line.split(/\r\n|[\n\r\u2028\u2029]/))
    .map((line) => ` ${line}`)
    .join('\n');
}
