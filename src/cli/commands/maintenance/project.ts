import { z } from 'zod';
import { dayText } from '../../../core/view/amounts.ts';
import type { OperationOutput } from '../../../operations/all.ts';
import { addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import type { Session } from '../../platform.ts';
import { cleanText } from '../../render/clean-text.ts';
import { printJson, printLines, tableLines } from '../../render/output.ts';

const AddFlags = CommonOptions.extend({ name: z.string().optional() });

const EXAMPLES = {
  ls: ['manyhands project ls', 'manyhands project ls --json'],
  add: [
    'manyhands project add ssh://git@git.example.com/team/shop.git',
    'manyhands project add /srv/git/shop.git --name shop',
  ],
  rm: ['manyhands project rm shop'],
};

const COLUMNS = [
  { title: 'PROJECT', most: 40 },
  { title: 'RUNS', right: true },
  { title: 'LAST' },
  { title: 'REPOSITORY' },
];

type Project = OperationOutput<'list-projects'>[number];

/** Projects that are known by the URL of their repository, so that every machine can clone them. */
export const projectCommand: CliCommand = {
  name: 'project',
  group: 'Maintenance',
  summary: 'list projects, and add those that a server clones by their URL',
  define(command, session) {
    addHelp(command.helpCommand(false), Object.values(EXAMPLES).flat(), READING_EXIT_CODES);
    const ls = command.command('ls').description('list the projects');
    addHelp(addJson(ls), EXAMPLES.ls, READING_EXIT_CODES);
    whenCalled(ls, session, { options: CommonOptions, act: ({ json }) => list(session, json) });
    const add = command
      .command('add')
      .description('add a project by the URL of its repository')
      .argument('<url>', 'https, ssh or a path, as the server reaches it')
      .option('--name <name>', 'its name (default: the last part of the URL)');
    addHelp(addJson(add), EXAMPLES.add, READING_EXIT_CODES);
    whenCalled(add, session, { options: AddFlags, act: (flags, [url = '']) => addOne(session, flags, url) });
    const rm = command
      .command('rm')
      .description('remove a project that was added by its URL; its runs are kept')
      .argument('<name>', 'the project');
    addHelp(addJson(rm), EXAMPLES.rm, READING_EXIT_CODES);
    whenCalled(rm, session, { options: CommonOptions, act: ({ json }, [name = '']) => removeOne(session, json, name) });
  },
};

async function list({ platform }: Session, json: boolean): Promise<number> {
  const { terminal, openCaller } = platform;
  await using caller = await openCaller(terminal.env);
  const projects = await caller.call('list-projects', {});
  if (json) printJson(terminal, projects);
  else if (projects.length === 0) terminal.err('There are no projects. Add one: manyhands project add <url>\n');
  else printLines(terminal, tableLines(COLUMNS, projects.map(rowOf), Number.MAX_SAFE_INTEGER));
  return 0;
}

async function addOne({ platform }: Session, { json, name }: z.infer<typeof AddFlags>, url: string): Promise<number> {
  const { terminal, openCaller } = platform;
  await using caller = await openCaller(terminal.env);
  const added = await caller.call('add-project', { url, ...(name === undefined ? {} : { name }) });
  if (json) printJson(terminal, added);
  else terminal.err(`Added ${cleanText(added.name)}. In a clone of it, runs start with: manyhands do "<goal>"\n`);
  return 0;
}

async function removeOne({ platform }: Session, json: boolean, name: string): Promise<number> {
  const { terminal, openCaller } = platform;
  await using caller = await openCaller(terminal.env);
  const removed = await caller.call('remove-project', { name });
  if (json) printJson(terminal, removed);
  else
    terminal.err(
      `Removed ${cleanText(removed.name)}. Its runs are kept, and so is its clone in ${cleanText(removed.root)}\n`,
    );
  return 0;
}

function rowOf({ name, runs, lastAt, remote, root }: Project): string[] {
  const last = lastAt === '' ? '' : dayText(lastAt);
  return [cleanText(name), String(runs), last, cleanText(remote ?? root)];
}
