import { isUtf8 } from 'node:buffer';
import { constants, linkSync, readFileSync, renameSync, statSync } from 'node:fs';
import { open, readdir, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import { AppError, errorCode, fromSystemError, isAbsent } from '../../errors.ts';
import { withMutex } from '../../git/mutex.ts';
import type { FeatureStatus } from '../../schema/work-file.ts';
import { crashpoint } from '../../world.ts';

type Edit = { offset: number; length: number; text: string };

/** What some editors put before a text. */
const MARK = '\uFEFF';

const MAX_TRIES = 20;
const MAX_NAMED = 5;
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Writes statuses back into features.json, all in one step, and changes nothing else in it. Concurrent changes by others are
 * kept; features that are no longer there are named in the error, after the others were written.
 */
export async function writeStatuses(
  path: string,
  changes: ReadonlyMap<string, FeatureStatus>,
  { root }: { root: string },
): Promise<void> {
  const file = await fileInside(path, root);
  try {
    await withMutex(file, () => writeInTurn(file, changes));
  } catch (error) {
    throw fromSystemError(error, `writing ${file}`);
  }
}

/** The file itself, links followed, as long as they stay in the project. */
async function fileInside(path: string, root: string): Promise<string> {
  try {
    const [file, folder] = await Promise.all([realpath(path), realpath(root)]);
    if (file.startsWith(folder + sep)) return file;
    throw changed(path, `it leads out of the project to ${file}`);
  } catch (error) {
    if (isAbsent(error)) throw changed(path, 'it is gone');
    throw fromSystemError(error, `looking for ${path}`);
  }
}

async function writeInTurn(file: string, changes: ReadonlyMap<string, FeatureStatus>): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { bytes, mode } = await readOrdinary(file);
    if (!isUtf8(bytes)) throw changed(file, 'it is not UTF-8');
    const before = bytes.toString('utf8');
    const result = withStatuses(before, changes);
    if (!result.ok) throw changed(file, result.reason);
    const isWritten = result.text === before || (await replaced(file, { bytes, mode, text: result.text }));
    if (isWritten && result.unset.length > 0) throw changed(file, unsetText(result.unset, changes.size));
    if (isWritten) return;
  }
  throw changed(file, 'another process keeps changing it');
}

async function readOrdinary(file: string): Promise<{ bytes: Buffer; mode: number }> {
  try {
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await handle.stat();
    if (!found.isFile() || found.size > MAX_BYTES) throw changed(file, 'it is not an ordinary file of work');
    return { bytes: await handle.readFile(), mode: found.mode & 0o7777 };
  } catch (error) {
    if (isAbsent(error)) throw changed(file, 'it is gone');
    throw error;
  }
}

/**
 * Replaces the old text, unless the file is no longer what was read. The replaced file is kept until it is certain that
 * nobody wrote into it at the same moment: what a person wrote is put back, and the statuses are written again.
 */
async function replaced(
  file: string,
  { bytes, mode, text }: { bytes: Buffer; mode: number; text: string },
): Promise<boolean> {
  const draft = join(dirname(file), `${draftName(file)}${process.pid}`);
  const kept = `${draft}-kept`;
  await removeAbandoned(file);
  await writeDraft(draft, text, mode);
  try {
    const old = keep(file, kept);
    if (!readFileSync(old).equals(bytes) || statSync(old).ino !== statSync(file).ino) return false;
    const { ino } = statSync(draft);
    crashpoint('features.writing');
    renameSync(draft, file);
    crashpoint('features.written');
    if (old === file || readFileSync(old).equals(bytes)) return true;
    if (statSync(file).ino === ino) renameSync(old, file);
    return false;
  } finally {
    await Promise.all([rm(draft, { force: true }), rm(kept, { force: true })]);
  }
}

/** A second name of the file; the only one where the file system has no hard links. */
function keep(file: string, kept: string): string {
  try {
    linkSync(file, kept);
    return kept;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw error;
    return file;
  }
}

function draftName(file: string): string {
  return `.${basename(file)}.manyhands-`;
}

/** Removes what an engine that was killed while it wrote has left beside the file. */
async function removeAbandoned(file: string): Promise<void> {
  const drafts = (await readdir(dirname(file))).filter((name) => name.startsWith(draftName(file)));
  for (const name of drafts) {
    const pid = Number(name.slice(draftName(file).length).replace(/-kept$/, ''));
    if (Number.isSafeInteger(pid) && pid > 0 && (pid === process.pid || !isAlive(pid)))
      await rm(join(dirname(file), name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}

async function writeDraft(draft: string, text: string, mode: number): Promise<void> {
  const create = () => open(draft, 'wx', mode);
  await using handle = await create().catch(async (error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
    await rm(draft, { force: true });
    return await create();
  });
  await handle.chmod(mode);
  await handle.writeFile(text);
  await handle.sync();
}

function unsetText(unset: readonly string[], requested: number): string {
  const named = unset.slice(0, MAX_NAMED).join(', ');
  const more = unset.length > MAX_NAMED ? ` and ${unset.length - MAX_NAMED} more` : '';
  return `${named}${more}${unset.length < requested ? '; the others were written' : ''}`;
}

function changed(file: string, why: string): AppError {
  return new AppError('CONFLICT', `The status was not written to ${file}: ${why}`, { file });
}

/** The text with other statuses and not one other character changed, and which could not be set; or why nothing can be done. */
function withStatuses(
  text: string,
  changes: ReadonlyMap<string, FeatureStatus>,
): { ok: true; text: string; unset: string[] } | { ok: false; reason: string } {
  const errors: ParseError[] = [];
  if (text.startsWith(MARK)) {
    const rest = withStatuses(text.slice(MARK.length), changes);
    return rest.ok ? { ...rest, text: MARK + rest.text } : rest;
  }
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const list = errors.length > 0 || root === undefined ? undefined : listOf(root);
  if (list === undefined) return { ok: false, reason: 'it is no longer a list of features' };
  const edits: Edit[] = [];
  const unset: string[] = [];
  for (const [id, status] of changes) {
    const found = list.filter((feature) => idOf(feature) === id);
    const [feature] = found;
    const edit = feature === undefined || found.length > 1 ? undefined : editOf(text, feature, status);
    if (feature === undefined) unset.push(`feature ${id} is gone`);
    else if (found.length > 1) unset.push(`feature ${id} is duplicated`);
    else if (edit === 'impossible') unset.push(`the status of feature ${id} is not a text`);
    else if (edit !== undefined) edits.push(edit);
  }
  return { ok: true, text: applied(text, edits), unset };
}

function listOf(root: Node): Node[] | undefined {
  const list = root.type === 'array' ? root : propertyOf(root, 'features')?.value;
  if (list?.type !== 'array') return undefined;
  return (list.children ?? []).filter(({ type }) => type === 'object');
}

function idOf(feature: Node): string | undefined {
  const id: unknown = propertyOf(feature, 'id')?.value.value;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

function propertyOf(object: Node, name: string): { key: Node; value: Node } | undefined {
  for (const property of object.children ?? []) {
    const [key, value] = property.children ?? [];
    if (key?.value === name && value !== undefined) return { key, value };
  }
  return undefined;
}

function editOf(text: string, feature: Node, status: FeatureStatus): Edit | 'impossible' | undefined {
  const property = propertyOf(feature, 'status');
  if (property === undefined) return addition(text, feature, status);
  const { type, value, offset, length } = property.value;
  if (value === status) return undefined;
  if (type !== 'string' && type !== 'null') return 'impossible';
  return { offset, length, text: JSON.stringify(status) };
}

/** A status where there was none, spaced like the properties before it. */
function addition(text: string, feature: Node, status: FeatureStatus): Edit | undefined {
  const properties = feature.children ?? [];
  const last = properties.at(-1);
  const [key, value] = last?.children ?? [];
  if (last === undefined || key === undefined || value === undefined) return undefined;
  const before = properties.at(-2);
  const from = before === undefined ? feature.offset + 1 : before.offset + before.length;
  const space = /[ \t\r\n]*$/.exec(text.slice(from, last.offset))?.[0] ?? '';
  const colon = text.slice(key.offset + key.length, value.offset);
  return { offset: last.offset + last.length, length: 0, text: `,${space}"status"${colon}${JSON.stringify(status)}` };
}

function applied(text: string, edits: readonly Edit[]): string {
  let result = text;
  for (const { offset, length, text: inserted } of edits.toSorted((a, b) => b.offset - a.offset)) {
    result = result.slice(0, offset) + inserted + result.slice(offset + length);
  }
  return result;
}
