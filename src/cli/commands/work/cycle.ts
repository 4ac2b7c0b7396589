import type { Command } from 'commander';
import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import type { OperationInput } from '../../../operations/all.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, collect, whenCalled } from '../../command.ts';
import { EXIT_CODES } from '../../exit-code.ts';
import { followRun } from '../../follow/follow-run.ts';
import { conclude, report } from '../../follow/work.ts';
import type { Session } from '../../platform.ts';
import { parsePart, wholeNumber } from '../../render/amounts.ts';
import { startOrOutline } from '../../start/outline.ts';
import { addStartOptions, StartFlags } from '../../start/start-options.ts';
import { resolveDir } from '../../target.ts';

const Flags = StartFlags.extend({
  cycles: z.number().optional(),
  threshold: z.number().optional(),
  step: z.array(z.string()).default([]),
  planOnly: z.boolean().default(false),
  dryRun: z.boolean().default(false),
});
type Flags = z.infer<typeof Flags>;
type Request = OperationInput<'start-run'>;

const WrapUpFlags = CommonOptions.extend({ pr: z.boolean().default(true), reason: z.string().optional() });

const EXAMPLES = [
  'manyhands cycle "Make the importer survive broken files" --check "npm test" --budget 20',
  'manyhands cycle @goal.md --plan-only',
  'manyhands cycle @goal.md --cycles 20 --until 07:00 --detach',
  'manyhands cycle @goal.md --dry-run',
  'manyhands cycle wrap-up k3v9x2ab',
];

/** Works on a goal in cycles of implement and review until its milestones are reached. */
export const cycleCommand: CliCommand = {
  name: 'cycle',
  group: 'Work',
  summary: 'work on a goal in cycles of implement and review until its milestones are reached',
  define(command, session) {
    command.argument('[goal...]', 'the goal; - reads it from standard input, @file from a file');
    addStartOptions(command, session)
      .option('--cycles <n>', 'maximum number of cycles (default: 10)', wholeNumber(1, 50))
      .option('--threshold <part>', 'the part of the milestones that is enough, from 0.1 to 1 (default: 1)', parsePart)
      .option('--step <text>', 'a step that verifies the whole result at the end; repeatable', collect)
      .option('--plan-only', 'stop after planning and wait for manyhands approve')
      .option('--dry-run', 'show the phases, the maximum cost and the stop conditions; start nothing');
    addHelp(command, EXAMPLES, EXIT_CODES);
    addWrapUp(command, session);
    whenCalled(command, session, { options: Flags, act: (flags, words) => startCycle(session, flags, words) });
  },
};

async function startCycle(session: Session, flags: Flags, words: string[]): Promise<number> {
  if (words.length === 0) throw new AppError('USAGE', 'The goal is missing: manyhands cycle "<goal>"');
  const request = (goal: string, options: Request['options']): Request => ({
    recipe: 'cycle',
    input: {
      goal,
      steps: flags.step,
      planOnly: flags.planOnly,
      ...(flags.cycles === undefined ? {} : { cycles: flags.cycles }),
      ...(flags.threshold === undefined ? {} : { threshold: flags.threshold }),
    },
    options,
  });
  return startOrOutline(session, { flags, words, request }, flags.dryRun);
}

function addWrapUp(parent: Command, session: Session): void {
  const command = parent
    .command('wrap-up')
    .description('end a run with what is good: its report and a draft pull request');
  command
    .argument('[run]', 'default: the latest run of the project')
    .option('--no-pr', 'open no pull request')
    .option('--reason <text>', 'why; the report shows it');
  addHelp(
    addDir(addJson(command)),
    ['manyhands cycle wrap-up', 'manyhands cycle wrap-up k3v9x2ab --no-pr'],
    EXIT_CODES,
  );
  whenCalled(command, session, { options: WrapUpFlags, act: (flags, [run]) => wrapUp(session, flags, run) });
}

/** Ends the run, waits for its end, opens a draft pull request where there is a forge, and prints where the report is. */
async function wrapUp(
  session: Session,
  flags: z.infer<typeof WrapUpFlags>,
  named: string | undefined,
): Promise<number> {
  const { platform } = session;
  const { terminal, world } = platform;
  const dir = await resolveDir(terminal, flags.dir);
  await using caller = await platform.openCaller(terminal.env);
  const { run } = await caller.call('wrap-up-run', {
    dir,
    ...(named === undefined ? {} : { run: named }),
    ...(flags.reason === undefined ? {} : { reason: flags.reason }),
  });
  const followed = await followRun({ platform, caller, dir, run, since: world.now(), takesOver: true });
  const code = conclude(platform, run, followed);
  if (followed.kind === 'interrupted') return code;
  if (flags.pr && followed.document.commit !== null && followed.document.landed === null) {
    try {
      const { landed } = await caller.call('land-run', { dir, run, how: 'pr', draft: true });
      terminal.err(`Draft pull request: ${landed?.url ?? ''}\n`);
    } catch (error) {
      // Without a forge the branch is the result.
      if (!(error instanceof AppError)) throw error;
      terminal.err(`note: No pull request was opened: ${error.message}\n`);
    }
  }
  terminal.err(`Report: manyhands report ${run}\n`);
  report(platform, { json: flags.json, hidesResult: true }, [followed.document]);
  return code;
}
