import type { Command } from 'commander';
import { z } from 'zod';
import type { Caller } from '../../../access/caller.ts';
import { addDir, addFollowing, addHelp, addJson, type CliCommand, FollowOptions, whenCalled } from '../../command.ts';
import { EXIT_CODES, READING_EXIT_CODES } from '../../exit-code.ts';
import { work } from '../../follow/work.ts';
import type { Session } from '../../platform.ts';
import { wholeNumber } from '../../render/amounts.ts';
import { addFailedOut, writeFailed } from '../../start/failed-items.ts';
import { runFile } from '../../start/run-file.ts';
import { addRunOptions, RunFlags } from '../../start/run-options.ts';
import { resolveDir } from '../../target.ts';
import { addScan } from './bulk-scan.ts';
import { addStatus } from './bulk-status.ts';

const FailedOut = { failedOut: z.string().optional() };
const BulkFlags = RunFlags.extend({ n: z.number().optional(), ...FailedOut });
const AgainFlags = FollowOptions.extend(FailedOut);
type AgainFlags = z.infer<typeof AgainFlags>;

/** What is done with a run of items again: its name, what the help says, and the operation. */
type Again = {
  name: string;
  summary: string;
  begin(caller: Caller, which: { dir: string; run: string }): Promise<void>;
};

const EXAMPLES = [
  `manyhands bulk scan --glob 'src/**/*.ts' --prompt "Add a license header" --output tasks.jsonl`,
  'manyhands bulk run tasks.jsonl --check "npm test"',
  'manyhands bulk status',
  'manyhands bulk retry',
];
const AGAIN: readonly Again[] = [
  {
    name: 'retry',
    summary: 'open the items that failed again, and only these',
    begin: async (caller, which) => void (await caller.call('retry-run', which)),
  },
  {
    name: 'resume',
    summary: 'go on with a run of items that was interrupted',
    begin: async (caller, which) => void (await caller.call('resume-runs', which)),
  },
];

/** Many small independent edits: a file of items is made, carried out, watched, and what failed is tried again. */
export const bulkCommand: CliCommand = {
  name: 'bulk',
  group: 'Work',
  summary: 'many small independent edits: scan, run, retry what failed',
  define(command, session) {
    addHelp(addDir(command), EXAMPLES, READING_EXIT_CODES);
    addRun(command, session);
    addScan(command, session);
    addStatus(command, session);
    for (const again of AGAIN) addAgain(command, session, again);
  },
};

function addRun(parent: Command, session: Session): void {
  const command = parent.command('run').description('do the items of a file, 16 at once');
  command.argument('<file>', 'tasks.jsonl, tasks.csv, or JSON with a list of items');
  addRunOptions(command).option('-n <count>', 'the same as --max-parallel', wholeNumber(1, 150));
  addHelp(addFailedOut(command), ['manyhands bulk run tasks.jsonl -n 8 --failed-out failed_items.jsonl'], EXIT_CODES);
  whenCalled(command, session, {
    options: BulkFlags,
    act: ({ n, failedOut, ...given }, [file]) => {
      const maxParallel = given.maxParallel ?? n;
      const flags = { ...given, ...(maxParallel === undefined ? {} : { maxParallel }) };
      const settled = async ({ run }: { run: string }) => writeFailed(session, { run, dir: given.dir, failedOut });
      const manner = { recipes: ['bulk'] as const, ...(failedOut === undefined ? {} : { settled }) };
      return runFile(session, { flags, given: file, manner });
    },
  });
}

function addAgain(parent: Command, session: Session, again: Again): void {
  const command = parent.command(again.name).description(again.summary);
  command.argument('[run]', 'default: the latest run of items here');
  addFailedOut(addDir(addJson(addFollowing(command))));
  const examples = [`manyhands bulk ${again.name}`, `manyhands bulk ${again.name} k3v9x2ab --detach`];
  addHelp(command, examples, EXIT_CODES);
  whenCalled(command, session, {
    options: AgainFlags,
    act: (flags, [run]) => goOn(session, { flags, again, run }),
  });
}

async function goOn(
  session: Session,
  { flags, again, run: named }: { flags: AgainFlags; again: Again; run: string | undefined },
): Promise<number> {
  const { failedOut, ...following } = flags;
  const dir = await resolveDir(session.platform.terminal, flags.dir);
  const settled = async ({ run }: { run: string }) => {
    await writeFailed(session, { run, dir, failedOut });
    return [];
  };
  return work(session, {
    ...following,
    dir,
    begin: async (caller) => {
      const { run } = await caller.call('bulk-status', { dir, ...(named === undefined ? {} : { run: named }) });
      await again.begin(caller, { dir, run });
      return [run];
    },
    ...(failedOut === undefined ? {} : { settled }),
  });
}
