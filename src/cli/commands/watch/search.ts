import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import type { SearchResult } from '../../../schema/search.ts';
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

/** Searches what agents said and what tasks ask for. */
export const searchCommand: CliCommand = {
  name: 'search',
  group: 'Watch',
  summary: 'search what agents said and what tasks ask for',
  define(command, session) {
    command
      .argument('<text...>', 'words, all of which must be there')
      .option('--run <run>', 'only this run')
      .option('--all', 'in all projects, not only this one')
      .option('-n, --limit <n>', 'how many', wholeNumber(1, 200), 50)
      .option(
        '--before <n>',
        'older ones: the number that the last answer gave',
        wholeNumber(1, Number.MAX_SAFE_INTEGER),
      );
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async (flags, words) => {
        const { terminal, openCaller } = session.platform;
        const text = words.join(' ').trim();
        if (text === '') throw new AppError('USAGE', 'Say what to search for');
        const project = await placeOf(terminal, flags);
        await using caller = await openCaller(terminal.env);
        const { limit, before } = flags;
        const asked = { text, limit, ...project, ...(before === undefined ? {} : { before }) };
        const found = await caller.call('search', asked);
        if (flags.json) printJson(terminal, found);
        else printLines(terminal, linesOf(terminal, found));
        if (!flags.json && found.hits.length + found.tasks.length === 0) terminal.err('Nothing was found.\n');
        if (!flags.json && found.next !== null) terminal.err(`Older ones: add --before ${found.next}\n`);
        return 0;
      },
    });
  },
};

async function placeOf(terminal: Terminal, { run, all, dir }: Flags): Promise<{ run?: string; dir?: string }> {
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
