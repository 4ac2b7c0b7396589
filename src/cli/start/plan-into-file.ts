import { join, relative, resolve } from 'node:path';
import { AppError } from '../../errors.ts';
import { listedTasks } from '../../recipes/tasks/task-list.ts';
import { tasksText } from '../../recipes/tasks/tasks-text.ts';
import { plannedTasks } from '../../recipes/todo/todo.ts';
import { workflowText } from '../../recipes/workflow/workflow-text.ts';
import { roleNames } from '../../roles/load.ts';
import type { RunDocument } from '../../schema/document.ts';
import type { TodoRequest } from '../../schema/request.ts';
import type { TodoInput } from '../../schema/work-file.ts';
import { parseWork } from '../../work-files/parse-work.ts';
import { work } from '../follow/work.ts';
import type { Session } from '../platform.ts';
import { cleanText } from '../render/clean-text.ts';
import { printJson, printLines } from '../render/output.ts';
import { shellWord } from '../render/shell-word.ts';
import { createFile, requireFree } from './create-file.ts';
import { type StartFlags, startOptions } from './start-options.ts';

/** Where the tasks go and how they are written. */
export type PlanFile = { as: TodoRequest['as']; output: string | undefined; force: boolean };

/** What is to be planned; it is read only by the process that starts the run. */
type Wanted = { flags: StartFlags; readsInput: boolean; input(): Promise<TodoInput> };

const USUAL: Record<TodoRequest['as'], string> = { tasks: 'tasks.yaml', workflow: 'workflow.yaml' };
const NAMED = /^Plan:? /;

/** Lets an agent make tasks, writes them to a file for a person to read and change, and says how to go on. */
export async function planIntoFile(
  session: Session,
  { flags, input, readsInput, ...place }: PlanFile & Wanted,
): Promise<number> {
  const { terminal } = session.platform;
  const { land: _, ...options } = await startOptions(terminal, flags);
  const file = fileFor(session, { ...place, dir: options.dir });
  if (!place.force) await requireFree(file);
  return work(session, {
    ...flags,
    dir: options.dir,
    readsInput,
    hidesResult: true,
    begin: async (caller) => {
      const asked = { ...(await input()), as: place.as, execute: false };
      const { run, notes } = await caller.call('start-run', { recipe: 'todo', input: asked, options });
      for (const note of notes) terminal.err(`note: ${cleanText(note)}\n`);
      return [run];
    },
    settled: async (document) => {
      if (document.status === 'done') await writePlan(session, document, { ...place, file, json: flags.json });
      return [];
    },
  });
}

/** Writes the tasks that a run has made. */
export async function writePlanned(
  session: Session,
  { run, dir, json, ...place }: PlanFile & { run: string; dir: string; json: boolean },
): Promise<void> {
  const { terminal, openCaller } = session.platform;
  await using caller = await openCaller(terminal.env);
  const document = await caller.call('show-run', { dir, run });
  const file = fileFor(session, { ...place, dir });
  await writePlan(session, document, { ...place, file, json });
  if (json) printJson(terminal, { run: document.run, file });
}

function fileFor({ platform }: Session, { as, output, dir }: PlanFile & { dir: string }): string {
  return output === undefined ? join(dir, USUAL[as]) : resolve(platform.terminal.cwd, output);
}

async function writePlan(
  { platform }: Session,
  document: RunDocument,
  { as, file, force, json }: PlanFile & { file: string; json: boolean },
): Promise<void> {
  const { terminal } = platform;
  const made = plannedTasks(document);
  if (made === undefined)
    throw new AppError('REFUSED', `Run ${document.run} has made no list of tasks`, { run: document.run });
  const tasks = listedTasks(made);
  const title = document.title.replace(NAMED, '');
  const about = { title, from: `Made by run ${document.run}: ${document.title}`, summary: made.summary };
  const text = as === 'workflow' ? workflowText(tasks, about) : tasksText(tasks, about);
  parseWork(text, file, { format: as, roles: await roleNames() });
  const copy = await written(document.run, file, () => createFile(file, text, force));
  if (!json) printLines(terminal, [file]);
  const shown = relative(terminal.cwd, file) || file;
  const count = `${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}`;
  terminal.err(`\nWrote ${count} to ${shown}${copy === undefined ? '' : `; what was there is in ${copy}`}\n`);
  terminal.err(`Read it, change what you like, then: manyhands run ${shellWord(shown)}\n`);
}

/** A list that was paid for is not lost where it cannot be written: the run still holds it. */
async function written<T>(run: string, file: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const again = `The tasks are kept: manyhands plan --run ${run} --output <file> writes them`;
    throw new AppError(error.code, `${error.message}. ${again}`, { ...error.details, run, file }, { cause: error });
  }
}
