import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { requireEngineHere } from '../../../access/caller.ts';
import { AppError, errorCode, messageOf } from '../../../errors.ts';
import { resolveHome } from '../../../home.ts';
import type { RunDocument } from '../../../schema/document.ts';
import { completeDependencies } from '../../../workspaces/complete-dependencies.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { printJson, printLines } from '../../render/output.ts';
import { parseTarget, resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({ reveal: z.boolean().default(false) });

const EXAMPLES = [
  'cd "$(manyhands open k3v9x2ab implement/1.2)"',
  'manyhands open --json',
  'manyhands open k3v --reveal',
];

/** Prints the folders of a run: its workspaces and the output of its attempts, newest first. */
export const openCommand: CliCommand = {
  name: 'open',
  group: 'Watch',
  summary: 'print the folders of a run',
  define(command, session) {
    command.argument('[run]', 'default: the latest run of the project').argument('[task]', 'only this task');
    command.option('--reveal', 'open the first folder in the file manager');
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async (flags, args) => {
        const { terminal, openCaller, reveal } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        const { task, ...which } = parseTarget(args);
        await using caller = await openCaller(terminal.env);
        requireEngineHere(caller, 'The folders of a run are on the machine of its engine');
        const document = await caller.call('show-run', { dir, ...which });
        const folders = await foldersOf(terminal.env, namesOf(document, task));
        const [first] = folders;
        if (first === undefined) {
          throw new AppError(
            'TASK_UNKNOWN',
            `Run ${document.run} has no folders${task === undefined ? '' : ` for ${task}`}; they were removed`,
            {
              run: document.run,
            },
          );
        }
        for (const folder of task === undefined ? folders : [first]) await complete(terminal.env, folder);
        if (flags.json) printJson(terminal, folders);
        else printLines(terminal, task === undefined ? folders : [first]);
        if (!flags.reveal) return 0;
        try {
          await reveal(first);
          return 0;
        } catch (error) {
          terminal.err(`error: ${messageOf(error)}\n`);
          return 3;
        }
      },
    });
  },
};

/** Folders are named by run and, for attempts, by the ordinal of the task and the number of the attempt. */
function namesOf({ run, tasks }: RunDocument, task: string | undefined): RegExp {
  if (task === undefined) return new RegExp(`^${run}(-\\d+){0,2}$`);
  const ordinal = tasks.findIndex(({ key }) => key === task) + 1;
  if (ordinal === 0) throw new AppError('TASK_UNKNOWN', `Run ${run} has no task ${task}`, { run, task });
  return new RegExp(`^${run}-${ordinal}(-\\d+)?$`);
}

async function foldersOf(env: NodeJS.ProcessEnv, names: RegExp): Promise<string[]> {
  const home = resolveHome(env);
  const found = await Promise.all([home.workspaces, home.attempts].map((folder) => entries(folder, names)));
  // A workspace in the folder of workspace.dir is a link.
  return Promise.all(found.flat().map((path) => realpath(path).catch(() => path)));
}

/** The agents of a workspace may have seen dependencies that are not in it; a person gets them as files. */
async function complete(env: NodeJS.ProcessEnv, folder: string): Promise<void> {
  await completeDependencies(folder, { home: resolveHome(env), env });
}

async function entries(folder: string, names: RegExp): Promise<string[]> {
  try {
    const found = (await readdir(folder)).filter((name) => names.test(name));
    return found.sort((a, b) => b.localeCompare(a, 'en', { numeric: true })).map((name) => join(folder, name));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
