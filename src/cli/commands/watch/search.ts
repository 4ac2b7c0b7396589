import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import type { SearchResult } from '../../../operations/transcripts/search.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { wholeNumber } from '../../render/amounts.ts';
import { oneLine } from '../../render/clean-text.ts';
import { printJson, printLines } from '../../render/output.ts';
import { painter } from '../../render/symbols.ts';
import { resolveDir } from '../../target.ts';
import type { Terminal } from '../../terminal/terminal.ts';

const Flags = CommonOptions.extend({
  run: z.string().optional(),
  all: z.boolean().default(false),
  limit: z.number().default(50),
  before: z.number().optional(),
});
type Flags = z.infer<typeof Flags>;

const EXAMPLES = [
  'manyhands search "connection refused"',
  'manyhands search cart --run k3v9x2ab',
  'manyhands search cart --all --json',
];

/** Searches the output of agents and the descriptions of tasks. */
export const searchCommand: CliCommand = {
  name: 'search',
  group: 'Watch',
  summary: 'search the output of agents and the descriptions of tasks',
  define(command, session) {
    command
      .argument('<text...>', 'words, all of which must match')
      .option('--run <run>', 'only this run')
      .option('--all', 'search all projects')
      .option('-n, --limit <n>', 'maximum number of results', wholeNumber(1, 200), 50)
      .option(
        '--before <n>',
        'older results: the number that the last search printed',
        wholeNumber(1, Number.MAX_SAFE_INTEGER),
      );
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async (flags, words) => {
        const { terminal, openCaller } = session.platform;
        const text = words.join(' ').trim();
        if (text === '') throw new AppError('USAGE', 'The text to search for is empty');
        const scope = await scopeOf(terminal, flags);
        await using caller = await openCaller(terminal.env);
        const { limit, before } = flags;
        const input = { text, limit, ...scope, ...(before === undefined ? {} : { before }) };
        const found = await caller.call('search', input);
        if (flags.json) printJson(terminal, found);
        else printLines(terminal, linesOf(terminal, found));
        if (!flags.json && found.hits.length + found.tasks.length === 0) terminal.err('No results.\n');
        if (!flags.json && found.next !== null) terminal.err(`For older results add --before ${found.next}\n`);
        return 0;
      },
    });
  },
};

async function scopeOf(terminal: Terminal, { run, all, dir }: Flags): Promise<{ run?: string; dir?: string }> {
  if (run !== undefined) return { run };
  return all ? {} : { dir: await resolveDir(terminal, dir) };
}

function linesOf(terminal: Terminal, { hits, tasks }: SearchResult): string[] {
  const colors = painter(terminal.colors.out);
  return [
    ...tasks.map(
      ({ run, task, taskTitle, status }) => `${colors.bold(`${run} ${task}`)}  ${status}  ${oneLine(taskTitle)}`,
    ),
    ...hits.map(
      ({ run, task, attempt, kind, excerpt }) =>
        `${colors.bold(`${run} ${task}`)}  ${colors.dim(`attempt ${attempt}, ${kind}`)}  ${oneLine(excerpt)}`,
    ),
  ];
}
