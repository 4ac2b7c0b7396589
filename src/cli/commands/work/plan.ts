import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Option } from 'commander';
import { z } from 'zod';
import { shellWord } from '../../../core/view/shell-word.ts';
import { AppError } from '../../../errors.ts';
import { todoOf as todoListOf } from '../../../recipes/todo/todo-file.ts';
import { TodoRequest } from '../../../schema/request.ts';
import { TodoInput } from '../../../schema/work-file.ts';
import { addHelp, type CliCommand, whenCalled } from '../../command.ts';
import { EXIT_CODES } from '../../exit-code.ts';
import type { Platform, Session } from '../../platform.ts';
import { readGoalText } from '../../start/goal-text.ts';
import { planIntoFile, writePlanned } from '../../start/plan-into-file.ts';
import { confirmTodo, readRequestedWork } from '../../start/requested-work.ts';
import { addStartOptions, StartFlags } from '../../start/start-options.ts';
import { resolveDir } from '../../target.ts';
import { addPlanEdit } from './plan-edit.ts';

const As = TodoRequest.shape.as.unwrap();
const Flags = StartFlags.extend({
  as: As.default('tasks'),
  output: z.string().optional(),
  force: z.boolean().default(false),
  run: z.string().optional(),
});
type Flags = z.infer<typeof Flags>;

const EXAMPLES = [
  'manyhands plan todo.md',
  'manyhands plan "Add a login with sessions and tests" --output login.yaml',
  'manyhands plan @goal.md --as workflow',
  'manyhands plan --run k3v9x2ab --output tasks.yaml',
];
const LOOKS_LIKE_A_FILE = /^\S+\.(md|markdown|txt)$/i;

/** Turns a to-do list or a goal into a file of tasks to review; starts none of them. */
export const planCommand: CliCommand = {
  name: 'plan',
  group: 'Work',
  summary: 'turn a to-do list or a goal into a file of tasks to review',
  define(command, session) {
    command.argument(
      '[what...]',
      'a to-do list in Markdown, or a goal; - reads it from standard input, @file from a file',
    );
    addStartOptions(command, session)
      .addOption(new Option('--as <format>', 'the format to write').choices(As.options).default('tasks'))
      .option('-o, --output <file>', 'the file to write (default: tasks.yaml or workflow.yaml)')
      .option('--force', 'overwrite the file if it exists; a copy is kept')
      .option('--run <run>', 'write the tasks that an earlier run has planned');
    command.options.find(({ long }) => long === '--land')?.hideHelp();
    addHelp(command, EXAMPLES, EXIT_CODES);
    addPlanEdit(command, session);
    whenCalled(command, session, { options: Flags, act: (flags, words) => plan(session, flags, words) });
  },
};

async function plan(session: Session, flags: Flags, words: readonly string[]): Promise<number> {
  const { terminal } = session.platform;
  const { as, output, force, run } = flags;
  const dir = await resolveDir(terminal, flags.dir);
  if (run !== undefined) {
    if (words.length > 0) throw new AppError('USAGE', '--run writes the tasks of an earlier run: omit the goal');
    await writePlanned(session, { as, output, force, run, dir, json: flags.json });
    return 0;
  }
  if (words.length === 0) throw new AppError('USAGE', 'Name a to-do list or a goal');
  const input = () => readInput(session, words, dir);
  return planIntoFile(session, { flags, input, as, output, force, readsInput: words[0] === '-' });
}

async function readInput({ platform }: Session, words: readonly string[], dir: string): Promise<TodoInput> {
  const { terminal } = platform;
  const [only = ''] = words.length === 1 ? words : [];
  if (LOOKS_LIKE_A_FILE.test(only) || (await isFile(resolve(terminal.cwd, only)))) {
    if (!only.startsWith('@')) return todoOf(platform, only, dir);
  }
  const text = TodoInput.shape.text.safeParse(await readGoalText(terminal, words));
  if (!text.success) throw new AppError('USAGE', `The goal ${text.error.issues[0]?.message ?? 'cannot be used'}`);
  return { file: null, text: text.data, entries: [] };
}

async function todoOf(platform: Platform, file: string, dir: string): Promise<TodoInput> {
  const { work } = await readRequestedWork(platform.terminal, { file, dir });
  const todo = todoListOf(work);
  if (todo !== undefined) {
    await confirmTodo(platform, { todo, file, instead: `manyhands plan @${shellWord(file)}` });
    return { ...todo, file: todo.file ?? file };
  }
  throw new AppError(
    'USAGE',
    `${file} is already a work file (${work.format}). Run it with: manyhands run ${shellWord(file)}`,
  );
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}
