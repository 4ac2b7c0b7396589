import { join, relative, resolve } from 'node:path';
import { shellWord } from '../../core/view/shell-word.ts';
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
import { showStart } from '../follow/show-steps.ts';
import { work } from '../follow/work.ts';
import type { Session } from '../platform.ts';
import { cleanText } from '../render/clean-text.ts';
import { printJson, printLines } from '../render/output.ts';
import { createFile, requireAbsent } from './create-file.ts';
import { type StartFlags, startOptions } from './start-options.ts';

/** The file for the tasks, and its format. */
export type PlanFile = { as: TodoRequest['as']; output: string | undefined; force: boolean };

/** What to plan; the input is read by the process that starts the run. */
type PlanRequest = { flags: StartFlags; readsInput: boolean; input(): Promise<TodoInput> };

const DEFAULT_FILES: Record<TodoRequest['as'], string> = { tasks: 'tasks.yaml', workflow: 'workflow.yaml' };
const TITLE_PREFIX = /^Plan:? /;

/** Lets an agent plan tasks, writes them to a file for review, and prints how to continue. */
export async function planIntoFile(
  session: Session,
  { flags, input, readsInput, ...target }: PlanFile & PlanRequest,
): Promise<number> {
  const { terminal } = session.platform;
  const { land: _, ...options } = await startOptions(terminal, flags);
  const file = fileFor(session, { ...target, dir: options.dir });
  if (!target.force) await requireAbsent(file);
  return work(session, {
    ...flags,
    dir: options.dir,
    readsInput,
    hidesResult: true,
    begin: async (caller) => {
      const request = { ...(await input()), as: target.as, execute: false };
      const { run, notes } = await showStart(session.platform, caller, {
        dir: options.dir,
        begin: () => caller.call('start-run', { recipe: 'todo', input: request, options }),
      });
      for (const note of notes) terminal.err(`note: ${cleanText(note)}\n`);
      return [run];
    },
    settled: async (document) => {
      if (document.status === 'done') await writePlan(session, document, { ...target, file, json: flags.json });
      return [];
    },
  });
}

/** Writes the tasks that an earlier run has planned. */
export async function writePlanned(
  session: Session,
  { run, dir, json, ...target }: PlanFile & { run: string; dir: string; json: boolean },
): Promise<void> {
  const { terminal, openCaller } = session.platform;
  await using caller = await openCaller(terminal.env);
  const document = await caller.call('show-run', { dir, run });
  const file = fileFor(session, { ...target, dir });
  await writePlan(session, document, { ...target, file, json });
  if (json) printJson(terminal, { run: document.run, file });
}

function fileFor({ platform }: Session, { as, output, dir }: PlanFile & { dir: string }): string {
  return output === undefined ? join(dir, DEFAULT_FILES[as]) : resolve(platform.terminal.cwd, output);
}

async function writePlan(
  { platform }: Session,
  document: RunDocument,
  { as, file, force, json }: PlanFile & { file: string; json: boolean },
): Promise<void> {
  const { terminal } = platform;
  const planned = plannedTasks(document);
  if (planned === undefined)
    throw new AppError('REFUSED', `Run ${document.run} has no planned tasks`, { run: document.run });
  const tasks = listedTasks(planned);
  const title = document.title.replace(TITLE_PREFIX, '');
  const about = { title, from: `Planned by run ${document.run}: ${document.title}`, summary: planned.summary };
  const text = as === 'workflow' ? workflowText(tasks, about) : tasksText(tasks, about);
  parseWork(text, file, { format: as, roles: await roleNames() });
  const copy = await written(document.run, file, () => createFile(file, text, force));
  if (!json) printLines(terminal, [file]);
  const shown = relative(terminal.cwd, file) || file;
  const count = `${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}`;
  terminal.err(`\nWrote ${count} to ${shown}${copy === undefined ? '' : `; the previous file is kept as ${copy}`}\n`);
  terminal.err(`Review and edit it, then run: manyhands run ${shellWord(shown)}\n`);
}

/** If the tasks cannot be written they are not lost: the run keeps them, and the error names the command that writes them. */
async function written<T>(run: string, file: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const retry = `The tasks are kept. Write them with: manyhands plan --run ${run} --output <file>`;
    throw new AppError(error.code, `${error.message}. ${retry}`, { ...error.details, run, file }, { cause: error });
  }
}
