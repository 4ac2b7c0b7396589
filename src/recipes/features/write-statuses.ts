import { isUtf8 } from 'node:buffer';
import { constants, readFileSync, renameSync } from 'node:fs';
import { open, readdir, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { AppError, errorCode, fromSystemError, isAbsent } from '../../errors.ts';
import { withMutex } from '../../git/mutex.ts';
import type { FeatureStatus } from '../../schema/work-file.ts';
import { crashpoint } from '../../world.ts';
import { withStatuses } from './status-edit.ts';

const MAX_TRIES = 20;
const MAX_NAMED = 5;
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Writes statuses back into features.json, all in one step, and changes nothing else in it. Concurrent changes by others are
 * kept; features that are no longer there are named in the error, after the others were written.
 */
export async function writeStatus(
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

/** Replaces the old text, unless the file is no longer what was read; compares and renames without yielding. */
async function replaced(
  file: string,
  { bytes, mode, text }: { bytes: Buffer; mode: number; text: string },
): Promise<boolean> {
  const draft = join(dirname(file), `${draftName(file)}${process.pid}`);
  await removeAbandoned(file);
  await writeDraft(draft, text, mode);
  try {
    if (!readFileSync(file).equals(bytes)) return false;
    crashpoint('features.writing');
    renameSync(draft, file);
    crashpoint('features.written');
    return true;
  } finally {
    await rm(draft, { force: true });
  }
}

function draftName(file: string): string {
  return `.${basename(file)}.manyhands-`;
}

/** Removes what an engine that was killed while it wrote has left beside the file. */
async function removeAbandoned(file: string): Promise<void> {
  const drafts = (await readdir(dirname(file))).filter((name) => name.startsWith(draftName(file)));
  for (const name of drafts) {
    const pid = Number(name.slice(draftName(file).length));
    if (Number.isSafeInteger(pid) && pid > 0 && !isAlive(pid)) await rm(join(dirname(file), name), { force: true });
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
