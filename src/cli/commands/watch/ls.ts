import { z } from 'zod';
import { isInterrupted } from '../../../core/view/open-run.ts';
import type { OperationOutput } from '../../../operations/all.ts';
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
      .option('--all', 'runs of all projects')
      .option('-n, --limit <n>', 'maximum number of runs', wholeNumber(1, 1000), 20)
      .option('--collection <name>', 'only runs in this collection')
      .option('--flagged', 'only flagged runs')
      .option('--hidden', 'also hidden runs');
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
        if (terminal.env.MANYHANDS_DATABASE_URL) terminal.err(`${leaderLine(await caller.call('show-leader', {}))}\n`);
        for (const line of notesOf(flags, { runs, hidden: found.length - runs.length })) terminal.err(`${line}\n`);
        return 0;
      },
    });
  },
};

function filterOf({ limit, collection, flagged }: Flags) {
  return { limit, flagged, ...(collection === undefined ? {} : { collection }) };
}

function leaderLine({ leader }: OperationOutput<'show-leader'>): string {
  if (leader === null) return 'No server leads. Start one: manyhands serve';
  if (!leader.alive) return `The server ${leader.holder} led until its lease expired; any server can take over`;
  return `Led by ${leader.holder}`;
}

type Listed = { runs: readonly RunSummary[]; hidden: number };

function notesOf({ all, collection, flagged }: Flags, { runs, hidden }: Listed): string[] {
  const isFiltered = collection !== undefined || flagged;
  const interrupted = runs.filter(isInterrupted);
  return [
    ...(runs.length > 0 || hidden > 0 || isFiltered
      ? []
      : [`There are no runs${all ? '' : ' in this project'} yet. Start one: manyhands do "<goal>"`]),
    ...(runs.length === 0 && isFiltered ? ['No run matches.'] : []),
    ...(hidden === 0
      ? []
      : [`${hidden} hidden ${hidden === 1 ? 'run is' : 'runs are'} not listed; list all with manyhands ls --hidden`]),
    ...(interrupted.length === 0 ? [] : [interruptedNote(interrupted)]),
  ];
}

/** Without a run, `resume` continues those of the current project. */
function interruptedNote(interrupted: readonly RunSummary[]): string {
  const [only] = interrupted;
  const isOne = interrupted.length === 1 && only !== undefined;
  const runs = isOne ? `run ${only.run}` : `${interrupted.length} runs`;
  return `No engine is running ${runs}. Continue with: manyhands resume${isOne ? ` ${only.run}` : ''}`;
}
