import { z } from 'zod';
import type { Caller } from '../../../access/caller.ts';
import { AppError } from '../../../errors.ts';
import type { PullRequest } from '../../../schema/pull-request.ts';
import { addHelp, type CliCommand, whenCalled } from '../../command.ts';
import { EXIT_CODES } from '../../exit-code.ts';
import { work } from '../../follow/work.ts';
import type { Platform, Session } from '../../platform.ts';
import { cleanText } from '../../render/clean-text.ts';
import { tableLines } from '../../render/output.ts';
import { addStartOptions, StartFlags, startOptions } from '../../start/start-options.ts';

const COLUMNS = [
  { title: '#', right: true },
  { title: 'ID', right: true },
  { title: 'AUTHOR', most: 20 },
  { title: 'BRANCH', most: 32 },
  { title: 'TITLE' },
];

const Flags = StartFlags.extend({
  pr: z.array(z.number()).default([]),
  fromRun: z.union([z.string(), z.boolean()]).optional(),
  automerge: z.boolean().optional(),
  push: z.boolean().optional(),
  yes: z.boolean().default(false),
});
type Flags = z.infer<typeof Flags>;

const EXAMPLES = [
  'manyhands review',
  'manyhands review --pr 42 --check "npm test"',
  'manyhands review --from-run --automerge --yes',
];

/** Reviews pull requests: reads and checks them, fixes problems, approves or merges them. */
export const reviewCommand: CliCommand = {
  name: 'review',
  group: 'Work',
  summary: 'review pull requests: read, check, fix, approve or merge',
  define(command, session) {
    command
      .option('--pr <number>', 'a pull request by its number; repeatable', collectNumber)
      .option('--from-run [run]', 'the pull requests that a run opened (default: the latest run)')
      .option('--automerge', 'merge what passes instead of only approving it')
      .option('--push', 'push fixes to the branch of the pull request')
      .option('-y, --yes', 'approve or merge without asking for confirmation');
    addStartOptions(command, session);
    for (const unused of ['--land', '--base', '--title']) hide(command, unused);
    addHelp(command, EXAMPLES, EXIT_CODES);
    whenCalled(command, session, { options: Flags, act: (flags) => review(session, flags) });
  },
};

async function review(session: Session, flags: Flags): Promise<number> {
  const { terminal } = session.platform;
  const { land: _, base: __, title: ___, ...options } = await startOptions(terminal, flags);
  const isNamed = flags.pr.length > 0 || flags.fromRun !== undefined;
  if (!isNamed && session.argv.includes('-p'))
    terminal.err('note: -p is --max-parallel; a pull request is named with --pr <number>\n');
  if (flags.detach && !isNamed)
    throw new AppError('USAGE', '--detach cannot ask which pull requests to review: name them with --pr or --from-run');
  return work(session, {
    ...flags,
    dir: options.dir,
    many: flags.pr.length !== 1,
    begin: async (caller) => {
      const runs: string[] = [];
      for (const number of await numbersOf(session, { caller, flags, dir: options.dir })) {
        const { automerge, push, yes } = flags;
        const input = { number, yes, options, ...(automerge === undefined ? {} : { automerge }) };
        const started = await caller.call('review-pull-request', { ...input, ...(push === undefined ? {} : { push }) });
        for (const note of started.notes) terminal.err(`note: ${cleanText(note)}\n`);
        runs.push(started.run);
      }
      return runs;
    },
  });
}

type Selection = { caller: Caller; flags: Flags; dir: string };

async function numbersOf(session: Session, { caller, flags, dir }: Selection): Promise<number[]> {
  if (flags.fromRun !== undefined) {
    const run = typeof flags.fromRun === 'string' ? { run: flags.fromRun } : {};
    const found = await caller.call('list-pull-requests', { dir, ...run, fromRun: true });
    if (found.length > 0) return [...flags.pr, ...found.map(({ number }) => number)];
    throw new AppError('REFUSED', 'The run has no open pull request; open one with manyhands pr', run);
  }
  if (flags.pr.length > 0) return flags.pr;
  const open: PullRequest[] = await caller.call('list-pull-requests', { dir });
  return choosePullRequests(session.platform, open);
}

function collectNumber(value: string, before: number[] | undefined): number[] {
  const number = Number(value.replace(/^[#!]/, ''));
  if (!Number.isInteger(number) || number < 1)
    throw new AppError('USAGE', `--pr must be the number of a pull request, not ${value}`, { value });
  return [...(before ?? []), number];
}

/** Hides an option that all start commands have and that does not apply to a review. */
function hide(command: Parameters<CliCommand['define']>[0], flag: string): void {
  command.options.find(({ long }) => long === flag)?.hideHelp();
}

/** Shows the open pull requests and lets the user choose; without a terminal it is a usage error. */
async function choosePullRequests(
  platform: Pick<Platform, 'terminal' | 'ask'>,
  open: readonly PullRequest[],
): Promise<number[]> {
  const { terminal, ask } = platform;
  if (open.length === 0) {
    terminal.err('There is no open pull request.\n');
    return [];
  }
  const rows = open.map(({ number, author, head, title, draft }, index) =>
    [String(index + 1), String(number), author, head.branch, `${draft ? '(draft) ' : ''}${title}`].map(cleanText),
  );
  for (const line of tableLines(COLUMNS, rows, terminal.size().columns)) terminal.err(`${line}\n`);
  const answer = await ask("Pull requests to review: numbers of the first column (1,2), 'all', or 'q' to quit");
  if (answer === undefined)
    throw new AppError(
      'USAGE',
      'There is no terminal to ask which pull requests to review: name them with --pr <number> or --from-run',
    );
  return parseChoice(answer, open);
}

/** The pull requests that an answer such as `1,3`, `all` or `q` selects. */
export function parseChoice(answer: string, open: readonly PullRequest[]): number[] {
  const choice = answer.trim().toLowerCase();
  if (choice === '' || choice === 'q') return [];
  if (choice === 'all') return open.map(({ number }) => number);
  const positions = choice.split(/[\s,]+/).filter((word) => word !== '');
  return [...new Set(positions)].map((word) => {
    const pull = /^\d+$/.test(word) ? open[Number(word) - 1] : undefined;
    if (pull !== undefined) return pull.number;
    throw new AppError('USAGE', `${word} is not a number from 1 to ${open.length}`, { word });
  });
}
