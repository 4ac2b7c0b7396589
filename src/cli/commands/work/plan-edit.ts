import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { AppError, messageOf, unreadableText } from '../../../errors.ts';
import type { OperationInput, OperationOutput } from '../../../operations/all.ts';
import { addDir, addHelp, addJson, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import type { Session } from '../../platform.ts';
import { printJson } from '../../render/output.ts';
import { resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({ file: z.string().optional(), print: z.boolean().default(false) });

const EXAMPLES = [
  'manyhands plan edit                             # in $EDITOR',
  'manyhands plan edit k3v9x2ab --print > plan.yaml',
  'manyhands plan edit k3v9x2ab --file plan.yaml',
];

const GUIDE = `# The plan of run {run}, which waits for approval. The order of this list is the order in which tasks start.
# Change, move or remove tasks. A task without the key "task" is new; give it an "id" if others need it.
`;

type Plan = OperationOutput<'show-plan'>;
type EditedTasks = OperationInput<'edit-plan'>['tasks'];

/** Adds the command that changes a plan before it is approved. */
export function addPlanEdit(parent: Command, session: Session): void {
  const command = parent
    .command('edit')
    .description('change a plan that waits for approval')
    .argument('[run]', 'default: the latest run of the project')
    .option('--print', 'print the plan as YAML instead of opening an editor')
    .option('--file <file>', 'read the changed plan from a file');
  addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
  whenCalled(command, session, { options: Flags, act: (flags, [run]) => editPlan(session, flags, run) });
}

async function editPlan(session: Session, flags: z.output<typeof Flags>, run: string | undefined): Promise<number> {
  const { terminal, openCaller } = session.platform;
  const dir = await resolveDir(terminal, flags.dir);
  await using caller = await openCaller(terminal.env);
  const plan = await caller.call('show-plan', { dir, ...(run === undefined ? {} : { run }) });
  if (flags.print) {
    terminal.out(planText(plan));
    return 0;
  }
  const text =
    flags.file === undefined
      ? await editedText(session, planText(plan))
      : await readPlanFile(resolve(terminal.cwd, flags.file));
  const document = await caller.call('edit-plan', { run: plan.run, tasks: tasksIn(text, flags.file ?? 'the plan') });
  if (flags.json) printJson(terminal, document);
  else terminal.err(`The plan of run ${plan.run} is changed. Approve it with: manyhands approve ${plan.run}\n`);
  return 0;
}

async function readPlanFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new AppError('INPUT_INVALID', `The plan file ${path} ${unreadableText(error)}`, { file: path });
  }
}

function planText({ run, tasks }: Plan): string {
  const listed = tasks.map(({ agent, ...task }) => (agent === null ? task : { ...task, agent }));
  return `${GUIDE.replace('{run}', run)}${stringify({ tasks: listed }, { lineWidth: 0 })}`;
}

function tasksIn(text: string, name: string): EditedTasks {
  let value: unknown;
  try {
    value = parse(text, { uniqueKeys: true, maxAliasCount: 0 });
  } catch (error) {
    throw new AppError('INPUT_INVALID', `${name} is not valid YAML: ${messageOf(error)}`);
  }
  const found = z.object({ tasks: z.array(z.record(z.string(), z.unknown())) }).safeParse(value);
  if (found.success) return found.data.tasks;
  throw new AppError('INPUT_INVALID', `${name} must have a list of tasks under the key "tasks"`);
}

/** The text as the user leaves it in their editor. */
async function editedText({ platform }: Session, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'manyhands-plan-'));
  try {
    const file = join(folder, 'plan.yaml');
    await writeFile(file, text, { mode: 0o600 });
    await platform.edit(file);
    return await readFile(file, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
