import { z } from 'zod';
import { isInterrupted } from '../../../core/view/run-status.ts';
import type { RunSummary } from '../../../schema/document.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { wholeNumber } from '../../render/amounts.ts';
import { printJson, printLines } from '../../render/output.ts';
import { runTable } from '../../render/run-table.ts';
import { resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({
  all: z.boolean().default(false),
  limit: z.number().default(20),
  collection: z.string().optional(),
  flagged: z.boolean().default(false),
  hidden: z.boolean().default(false),
});
type Flags = z.infer<typeof Flags>;

const EXAMPLES = [
  'manyhands ls',
  'manyhands ls --all --limit 100',
  'manyhands ls --collection nightly --flagged',
  'manyhands ls --json',
];

/** Lists runs, newest first. */
export const lsCommand: CliCommand = {
  name: 'ls',
  aliases: ['list'],
  group: 'Watch',
  summary: 'list runs',
  define(command, session) {
    command
      .option('--all', 'of all projects, not only this one')
      .option('-n, --limit <n>', 'how many', wholeNumber(1, 1000), 20)
      .option('--collection <name>', 'only those in this collection')
      .option('--flagged', 'only those that are flagged')
      .option('--hidden', 'hidden ones too');
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async (flags) => {
        const { terminal, world, openCaller } = session.platform;
        const project = flags.all ? {} : { dir: await resolveDir(terminal, flags.dir) };
        await using caller = await openCaller(terminal.env);
        const found = await caller.call('list-runs', { ...project, ...filterOf(flags), hidden: true });
        const runs = flags.hidden ? found : found.filter(({ hidden }) => hidden !== true);
        const view = { now: world.now(), projects: flags.all, collections: runs.some(({ collection }) => collection) };
        if (flags.json) printJson(terminal, runs);
        else if (runs.length > 0) printLines(terminal, runTable(terminal, runs, view));
        if (flags.json) return 0;
        for (const line of notesOf(flags, { runs, hidden: found.length - runs.length })) terminal.err(`${line}\n`);
        return 0;
      },
    });
  },
};

function filterOf({ limit, collection, flagged }: Flags) {
  return { limit, flagged, ...(collection === undefined ? {} : { collection }) };
}

type Listed = { runs: readonly RunSummary[]; hidden: number };

function notesOf({ all, collection, flagged }: Flags, { runs, hidden }: Listed): string[] {
  const isFiltered = collection !== undefined || flagged;
  const left = runs.filter(isInterrupted);
  return [
    ...(runs.length > 0 || hidden > 0 || isFiltered
      ? []
      : [`No runs ${all ? 'yet' : 'here yet'}. Start one: manyhands do "<goal>"`]),
    ...(runs.length === 0 && isFiltered ? ['No such runs.'] : []),
    ...(hidden === 0
      ? []
      : [`${hidden} hidden ${hidden === 1 ? 'run is' : 'runs are'} not listed; manyhands ls --hidden lists all.`]),
    ...(left.length === 0 ? [] : [interruptedNote(left)]),
  ];
}

/** Without a run, `resume` goes on with those of the folder it is called in. */
function interruptedNote(left: readonly RunSummary[]): string {
  const [only] = left;
  const isOne = left.length === 1 && only !== undefined;
  const runs = isOne ? `run ${only.run}` : `${left.length} runs`;
  return `Nobody works on ${runs}. Go on with: manyhands resume${isOne ? ` ${only.run}` : ''}`;
}
