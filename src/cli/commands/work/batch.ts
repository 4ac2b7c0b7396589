import { type Command, Option } from 'commander';
import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import type { BatchDocument } from '../../../schema/batch.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { EXIT_CODES, READING_EXIT_CODES } from '../../exit-code.ts';
import { detachSession } from '../../follow/detach.ts';
import { inProject } from '../../in-project.ts';
import type { Session } from '../../platform.ts';
import { wholeNumber } from '../../render/amounts.ts';
import { cleanText, oneLine } from '../../render/clean-text.ts';
import { printJson, printLines, tableLines } from '../../render/output.ts';
import { readItems } from '../../start/batch-items.ts';
import { addContextOption, contextOf } from '../../start/context-option.ts';
import { runBatch } from '../../start/run-batch.ts';
import { addStartOptions, StartFlags, startOptions } from '../../start/start-options.ts';

const AddFlags = CommonOptions.extend({
  summary: z.string().optional(),
  template: z.string().optional(),
  parallel: z.number().optional(),
  context: z.array(z.string()).default([]),
});
type AddFlags = z.infer<typeof AddFlags>;
const RunFlags = StartFlags.extend({
  parallel: z.number().optional(),
  from: z.number().default(1),
  as: z.enum(['job', 'debate']).optional(),
});
type RunFlags = z.infer<typeof RunFlags>;

const EXAMPLES = [
  'manyhands batch add docs "Document the cart" "Document the prices" --template bugfix',
  'manyhands batch add docs prompts.txt',
  'manyhands batch show docs',
  'manyhands batch run questions --as debate',
  'manyhands batch run docs --parallel 8 --check "npm test"',
];

const COLUMNS = [
  { title: 'BATCH' },
  { title: 'ITEMS', right: true },
  { title: 'PARALLEL', right: true },
  { title: 'TEMPLATE' },
  { title: 'SUMMARY' },
];

/** Stores lists of prompts, and runs each prompt as a job. */
export const batchCommand: CliCommand = {
  name: 'batch',
  group: 'Work',
  summary: 'store lists of prompts, and run each prompt as a job',
  define(command, session) {
    addHelp(command.helpCommand(false), EXAMPLES, READING_EXIT_CODES);
    defineLs(command.command('ls'), session);
    defineShow(command.command('show'), session);
    defineAdd(command.command('add'), session);
    defineRm(command.command('rm'), session);
    defineRun(command.command('run'), session);
  },
};

function defineLs(command: Command, session: Session): void {
  command.description('list the batches of the project');
  addHelp(addDir(addJson(command)), ['manyhands batch ls', 'manyhands batch ls --json'], READING_EXIT_CODES);
  whenCalled(command, session, {
    options: CommonOptions,
    act: async (flags) => {
      const { terminal } = session.platform;
      const { batches, mistakes } = await inProject(session, flags, (caller, dir) =>
        caller.call('list-batches', { dir }),
      );
      for (const error of mistakes) terminal.err(`note: not listed: ${error}\n`);
      if (flags.json) printJson(terminal, batches);
      else if (batches.length === 0)
        terminal.err('The project has no batches. Create one: manyhands batch add <name> "<prompt>"\n');
      else printLines(terminal, tableLines(COLUMNS, batches.map(row), Number.MAX_SAFE_INTEGER));
      return 0;
    },
  });
}

function defineShow(command: Command, session: Session): void {
  command.description('show the items of a batch').argument('<name>', 'the batch');
  addHelp(addDir(addJson(command)), EXAMPLES.slice(2, 3), READING_EXIT_CODES);
  whenCalled(command, session, {
    options: CommonOptions,
    act: async (flags, [name = '']) => {
      const { terminal } = session.platform;
      const batch = await inProject(session, flags, (caller, dir) => caller.call('show-batch', { dir, name }));
      if (flags.json) printJson(terminal, batch);
      else printLines(terminal, itemLines(batch));
      return 0;
    },
  });
}

function defineAdd(command: Command, session: Session): void {
  command.description('add prompts to a batch; creates the batch if needed').argument('<name>', 'the batch');
  command
    .argument('[prompt...]', 'prompts, or one file of prompts (one per line, or a batch file); - reads standard input')
    .option('--template <name>', 'the template of the jobs')
    .option('--parallel <n>', 'maximum number of parallel jobs', wholeNumber(1, 50))
    .option('--summary <text>', 'a description of the batch');
  addHelp(addDir(addJson(addContextOption(command))), EXAMPLES.slice(0, 2), READING_EXIT_CODES);
  whenCalled(command, session, {
    options: AddFlags,
    act: async (flags, [name = '', ...words]) => {
      const { terminal } = session.platform;
      const given = await readItems(terminal, words);
      const settings = await settingsOf(session, flags);
      if (given.items.length === 0 && Object.keys(settings).length === 0)
        throw new AppError('USAGE', `There is nothing to add to ${name}: name prompts or a file of prompts`);
      const more = { items: given.items, settings: { ...given.settings, ...settings } };
      const batch = await inProject(session, flags, (caller, dir) =>
        caller.call('add-to-batch', { dir, name, ...more }),
      );
      if (flags.json) printJson(terminal, batch);
      else
        terminal.err(
          `The batch ${name} has ${batch.items.length} ${batch.items.length === 1 ? 'item' : 'items'}: ${batch.file}\n`,
        );
      return 0;
    },
  });
}

function defineRm(command: Command, session: Session): void {
  command.description('remove a batch; its runs are kept').argument('<name>', 'the batch');
  addHelp(addDir(addJson(command)), ['manyhands batch rm docs'], READING_EXIT_CODES);
  whenCalled(command, session, {
    options: CommonOptions,
    act: async (flags, [name = '']) => {
      const { terminal } = session.platform;
      const { file } = await inProject(session, flags, (caller, dir) => caller.call('remove-batch', { dir, name }));
      if (flags.json) printJson(terminal, { name, file });
      else terminal.err(`Removed ${file}\n`);
      return 0;
    },
  });
}

function defineRun(command: Command, session: Session): void {
  command.description('run each item as a job; the jobs are filed in one collection').argument('<name>', 'the batch');
  addStartOptions(command, session)
    .option('--parallel <n>', 'maximum number of parallel jobs; overrides the batch', wholeNumber(1, 50))
    .addOption(new Option('--as <what>', 'what each item becomes (default: job)').choices(['job', 'debate']))
    .option('--from <n>', 'start with this item', wholeNumber(1, 10_000));
  addHelp(command, EXAMPLES.slice(3), EXIT_CODES);
  whenCalled(command, session, { options: RunFlags, act: (flags, [name = '']) => run(session, flags, name) });
}

async function run(session: Session, flags: RunFlags, name: string): Promise<number> {
  const { terminal } = session.platform;
  const batch = await inProject(session, flags, (caller, dir) => caller.call('show-batch', { dir, name }));
  const options = await startOptions(terminal, flags);
  if (flags.from > batch.items.length)
    throw new AppError('USAGE', `The batch ${name} has no item ${flags.from}; it has ${batch.items.length}`);
  if (flags.detach) {
    const runs = await detachSession(session, false);
    if (flags.json) printJson(terminal, { run: runs[0] ?? null });
    else printLines(terminal, runs);
    return 0;
  }
  const { from, background, collection, as } = flags;
  const { result, code } = await runBatch(session, {
    batch,
    from,
    parallel: flags.parallel,
    options,
    collection,
    background,
    as,
  });
  if (flags.json) printJson(terminal, result);
  return code;
}

async function settingsOf({ platform: { terminal } }: Session, { summary, template, parallel, context }: AddFlags) {
  return {
    ...(summary === undefined ? {} : { summary }),
    ...(template === undefined ? {} : { template }),
    ...(context.length === 0 ? {} : { context: await contextOf(terminal, context) }),
    ...(parallel === undefined ? {} : { parallel }),
  };
}

function row({ name, items, parallel, template, summary }: BatchDocument): string[] {
  return [name, String(items.length), String(parallel), template ?? '', oneLine(summary ?? '')];
}

function itemLines({ items, context }: BatchDocument): string[] {
  const facts = Object.entries(context).map(([key, value]) => `${key}: ${oneLine(value)}`);
  const width = String(items.length).length;
  return [
    ...items.map(({ prompt, title, template }, index) => {
      const name = title === null ? '' : `${cleanText(title)}: `;
      return `${String(index + 1).padStart(width)}  ${name}${oneLine(prompt)}${template === null ? '' : `  (${template})`}`;
    }),
    ...(facts.length === 0 ? [] : ['', ...facts]),
  ];
}
