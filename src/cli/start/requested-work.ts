import { stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { findProjectRoot } from '../../config/files.ts';
import { AppError, nearest } from '../../errors.ts';
import { todoOf } from '../../recipes/todo/todo-file.ts';
import { roleNames } from '../../roles/load.ts';
import { type WorkFile, WorkFile as WorkFileSchema, type WorkFormat } from '../../schema/work-file.ts';
import { readWorkFile } from '../../work-files/read-work-file.ts';
import { workIds } from '../../work-files/work-plan.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** A work file that a command names: how messages call it, its content, and the project around it. */
export type RequestedWork = { file: string; work: WorkFile };

/** Files that `run` and `check` take when none is named. */
const USUAL = ['tasks.yaml', 'tasks.yml', 'task_config.yaml', 'task_config.yml'];

/** Reads the named work file, or the usual one of the folder; ids that were asked for must be in it. */
export async function readRequestedWork(
  terminal: Terminal,
  asked: { given: string | undefined; dir: string; format?: WorkFormat | undefined; only?: readonly string[] },
): Promise<RequestedWork> {
  const path = asked.given === undefined ? await usualFile(asked.dir) : resolve(terminal.cwd, asked.given);
  const root = await findProjectRoot(asked.dir);
  const file = asked.given ?? (relative(terminal.cwd, path) || path);
  const roles = await roleNames(root === undefined ? {} : { userDir: join(root, '.manyhands', 'roles') });
  const work = await readWorkFile(path, { shown: file, format: asked.format, roles, root });
  return { file, work: withOnly(work, asked.only ?? [], file) };
}

async function usualFile(dir: string): Promise<string> {
  for (const name of USUAL) {
    const path = join(dir, name);
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile()) return path;
  }
  throw new AppError('USAGE', `Name a file of work: there is no ${USUAL.join(', ')} in ${dir}`, { dir });
}

function withOnly(work: WorkFile, only: readonly string[], file: string): WorkFile {
  if (only.length === 0) return work;
  if (todoOf(work) !== undefined) {
    throw new AppError('USAGE', 'A to-do list has no ids: tick off what is not to be done, or make tasks of it first');
  }
  const ids = workIds(work);
  const unknown = only.filter((id) => !ids.includes(id));
  if (unknown.length > 0) {
    const meant = nearest(unknown[0] ?? '', ids);
    const help = meant === undefined ? `It has ${ids.slice(0, 20).join(', ')}` : `Did you mean ${meant}?`;
    throw new AppError('USAGE', `There is no ${unknown.join(', ')} in ${file}. ${help}`, { unknown });
  }
  return WorkFileSchema.parse({ ...work, input: { ...work.input, only: [...new Set(only)] } });
}
