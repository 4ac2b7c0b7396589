import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../errors.ts';
import { pathInside } from '../path-inside.ts';
import type { Edit } from './scenario-step.ts';

/** The change that an edit made, or why it could not be applied. */
export type Edited = { change: 'added' | 'modified' | 'deleted' } | { error: string };

/** Applies one edit in the workspace; one that does not match the file changes nothing. */
export async function applyEdit(workspace: string, edit: Edit): Promise<Edited> {
  const file = await pathInside(workspace, edit.path);
  if (file === undefined) return { error: `${edit.path} is outside the workspace` };
  if (edit.delete === true) return remove(file, edit.path);
  const before = await readIfExists(file);
  if (edit.find !== undefined) return replaceOnce(file, before, edit);
  await mkdir(dirname(file), { recursive: true });
  if (edit.append !== undefined) await appendFile(file, edit.append);
  else await writeFile(file, edit.write ?? '');
  return { change: before === undefined ? 'added' : 'modified' };
}

async function remove(file: string, path: string): Promise<Edited> {
  try {
    await rm(file, { recursive: true });
    return { change: 'deleted' };
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return { error: `${path} does not exist, so it cannot be deleted` };
  }
}

async function replaceOnce(file: string, before: string | undefined, edit: Edit): Promise<Edited> {
  const [head, tail, ...more] = before?.split(edit.find ?? '') ?? [];
  if (before === undefined) return { error: `${edit.path} does not exist` };
  if (head === undefined || tail === undefined)
    return { error: `${edit.path} does not contain ${JSON.stringify(edit.find)}` };
  if (more.length > 0) {
    return { error: `${edit.path} contains ${JSON.stringify(edit.find)} ${more.length + 1} times; make it longer` };
  }
  await writeFile(file, head + (edit.replace ?? '') + tail);
  return { change: 'modified' };
}

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
