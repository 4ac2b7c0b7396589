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
const ContinueFlags = FollowOptions.extend(FailedOut);
type ContinueFlags = z.infer<typeof ContinueFlags>;

/** A command that continues a bulk run: its name, its help, and the operation. */
type Continuation = {
  name: string;
  summary: string;
  begin(caller: Caller, target: { dir: string; run: string }): Promise<void>;
};

const EXAMPLES = [
  `manyhands bulk scan --glob 'src/**/*.ts' --prompt "Add a license header" --output tasks.jsonl`,
  'manyhands bulk run tasks.jsonl --check "npm test"',
  'manyhands bulk status',
  'manyhands bulk retry',
];
const CONTINUATIONS: readonly Continuation[] = [
  {
    name: 'retry',
    summary: 'retry the failed items only',
    begin: async (caller, target) => void (await caller.call('retry-run', target)),
  },
  {
    name: 'resume',
    summary: 'continue an interrupted bulk run',
    begin: async (caller, target) => void (await caller.call('resume-runs', target)),
  },
];

/** Many small independent edits: write a file of items, run it, watch it, and retry what failed. */
export const bulkCommand: CliCommand = {
  name: 'bulk',
  group: 'Work',
  summary: 'run many small independent edits: scan, run, retry failures',
  define(command, session) {
    addHelp(addDir(command.helpCommand(false)), EXAMPLES, READING_EXIT_CODES);
    addRun(command, session);
    addScan(command, session);
    addStatus(command, session);
    for (const continuation of CONTINUATIONS) addContinuation(command, session, continuation);
  },
};

function addRun(parent: Command, session: Session): void {
  const command = parent.command('run').description('run the items of a file, 16 in parallel');
  command.argument('<file>', 'tasks.jsonl, tasks.csv, or JSON with a list of items');
  addRunOptions(command, session).option('-n <count>', 'the same as --max-parallel', wholeNumber(1, 150));
  addHelp(addFailedOut(command), ['manyhands bulk run tasks.jsonl -n 8 --failed-out failed_items.jsonl'], EXIT_CODES);
  whenCalled(command, session, {
    options: BulkFlags,
    act: ({ n, failedOut, ...rest }, [file]) => {
      const maxParallel = rest.maxParallel ?? n;
      const flags = { ...rest, ...(maxParallel === undefined ? {} : { maxParallel }) };
      const settled = async ({ run }: { run: string }) => writeFailed(session, { run, dir: rest.dir, failedOut });
      const options = { recipes: ['bulk'] as const, ...(failedOut === undefined ? {} : { settled }) };
      return runFile(session, { flags, file, options });
    },
  });
}

function addContinuation(parent: Command, session: Session, continuation: Continuation): void {
  const command = parent.command(continuation.name).description(continuation.summary);
  command.argument('[run]', 'default: the latest bulk run of the project');
  addFailedOut(addDir(addJson(addFollowing(command))));
  const examples = [`manyhands bulk ${continuation.name}`, `manyhands bulk ${continuation.name} k3v9x2ab --detach`];
  addHelp(command, examples, EXIT_CODES);
  whenCalled(command, session, {
    options: ContinueFlags,
    act: (flags, [run]) => continueRun(session, { flags, continuation, run }),
  });
}

async function continueRun(
  session: Session,
  { flags, continuation, run: named }: { flags: ContinueFlags; continuation: Continuation; run: string | undefined },
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
      await continuation.begin(caller, { dir, run });
      return [run];
    },
    ...(failedOut === undefined ? {} : { settled }),
  });
}
