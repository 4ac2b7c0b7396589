import { stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { findProjectRoot } from '../../config/files.ts';
import { AppError } from '../../errors.ts';
import { doubtAboutTodo, todoOf } from '../../recipes/todo/todo-file.ts';
import { roleNames } from '../../roles/load.ts';
import { nearest } from '../../schema/nearest.ts';
import { type TodoInput, type WorkFile, WorkFile as WorkFileSchema, type WorkFormat } from '../../schema/work-file.ts';
import { readWorkFile } from '../../work-files/read-work-file.ts';
import { workIds } from '../../work-files/work-plan.ts';
import type { Platform } from '../platform.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** A work file that a command names: its name in messages, its path, and its content. */
export type RequestedWork = { file: string; path: string; work: WorkFile };

/** The files that `run` and `check` use by default. */
const DEFAULT_FILES = ['tasks.yaml', 'tasks.yml', 'task_config.yaml', 'task_config.yml'];
/** Usual names of other work files; one of them is proposed where no file is named. */
const USUAL_FILES = ['features.json', 'tasks.jsonl', 'tasks.csv', 'todo.md', 'TODO.md'];

/** Reads the named work file, or the default one of the folder; the requested ids must exist in it. */
export async function readRequestedWork(
  terminal: Terminal,
  request: { file: string | undefined; dir: string; format?: WorkFormat | undefined; only?: readonly string[] },
): Promise<RequestedWork> {
  if (request.file?.includes(' ') === true) await refuseText(terminal, request.file);
  const path = request.file === undefined ? await defaultFile(request.dir) : resolve(terminal.cwd, request.file);
  const root = await findProjectRoot(request.dir);
  const file = request.file ?? (relative(terminal.cwd, path) || path);
  const roles = await roleNames(root === undefined ? {} : { userDir: join(root, '.manyhands', 'roles') });
  const work = await readWorkFile(path, { shown: file, format: request.format, roles, root });
  return { file, path, work: withOnly(work, request.only ?? [], file) };
}

/** A text instead of a file is refused with the commands that accept one. */
async function refuseText(terminal: Terminal, text: string): Promise<void> {
  if ((await stat(resolve(terminal.cwd, text)).catch(() => undefined)) !== undefined) return;
  const quoted = JSON.stringify(text);
  throw new AppError(
    'USAGE',
    `There is no file ${quoted}. For one task of one agent: manyhands job ${quoted}; for a goal: manyhands do ${quoted}`,
  );
}

async function defaultFile(dir: string): Promise<string> {
  const found = await firstFile(dir, DEFAULT_FILES);
  if (found !== undefined) return join(dir, found);
  const usual = await firstFile(dir, USUAL_FILES);
  const proposal = usual === undefined ? '' : `. For ${usual}: manyhands run ${usual}`;
  throw new AppError('USAGE', `Name a work file: ${dir} has no ${DEFAULT_FILES.join(', ')}${proposal}`, { dir });
}

async function firstFile(dir: string, names: readonly string[]): Promise<string | undefined> {
  for (const name of names) if ((await stat(join(dir, name)).catch(() => undefined))?.isFile() === true) return name;
  return undefined;
}

/** Asks before a text that is probably not a to-do list is used as one; `instead` is what to type without a terminal. */
export async function confirmTodo(
  { confirm }: Platform,
  { todo, file, instead }: { todo: TodoInput; file: string; instead: string },
): Promise<void> {
  const doubt = doubtAboutTodo(todo, file);
  if (doubt === undefined) return;
  const answer = await confirm(`${file} may not be a to-do list: ${doubt}. Make tasks of it?`);
  if (answer === true) return;
  const reason = answer === false ? 'Nothing was started' : `To use it anyway: ${instead}`;
  throw new AppError('USAGE', `${file} is probably not a to-do list: ${doubt}. ${reason}`, { file });
}

function withOnly(work: WorkFile, only: readonly string[], file: string): WorkFile {
  if (only.length === 0) return work;
  if (todoOf(work) !== undefined) {
    throw new AppError(
      'USAGE',
      'A to-do list has no ids for --only: check off the other entries, or convert it with manyhands plan first',
    );
  }
  const ids = workIds(work);
  const unknown = only.filter((id) => !ids.includes(id));
  if (unknown.length > 0) {
    const similar = nearest(unknown[0] ?? '', ids);
    const help = similar === undefined ? `It has ${ids.slice(0, 20).join(', ')}` : `Did you mean ${similar}?`;
    throw new AppError('USAGE', `${file} has no ${unknown.join(', ')}. ${help}`, { unknown });
  }
  return WorkFileSchema.parse({ ...work, input: { ...work.input, only: [...new Set(only)] } });
}
