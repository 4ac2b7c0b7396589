import { z } from 'zod';
import type { Caller } from '../../../access/caller.ts';
import { AppError } from '../../../errors.ts';
import type { UndoResult } from '../../../schema/change.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import type { Platform } from '../../platform.ts';
import { oneLine } from '../../render/clean-text.ts';
import { printJson, printLines } from '../../render/output.ts';
import { resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({
  branch: z.boolean().default(false),
  dryRun: z.boolean().default(false),
  reason: z.string().optional(),
  yes: z.boolean().default(false),
});

const EXAMPLES = [
  'manyhands undo --dry-run',
  'manyhands undo k3v9x2ab',
  'manyhands undo k3v9x2ab --yes --reason "it broke the build"',
  'manyhands undo k3v9x2ab --branch',
];

const UNDO_EXIT_CODES = `Exit codes:
  0  reverted, or (dry run) can be reverted
  1  you declined; nothing was changed
  2  invalid command line
  3  the command failed; the message states the reason
  4  it cannot be reverted safely; nothing was changed`;

const MOST_FILES = 30;

/** Reverts a landed run with a new commit, if git proves that safe. */
export const undoCommand: CliCommand = {
  name: 'undo',
  group: 'Control',
  summary: 'revert a landed run, if that is safe',
  define(command, session) {
    command
      .argument('[run]', 'default: the latest run of the project')
      .option('--branch', 'also delete the branch of the run; its commits are kept')
      .option('--dry-run', 'show what would be done; change nothing')
      .option('--reason <text>', 'the reason, for the record')
      .option('-y, --yes', 'do not ask for confirmation');
    addHelp(addDir(addJson(command)), EXAMPLES, UNDO_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ branch, dryRun, reason, yes, json, ...flags }, [run]) => {
        const { terminal, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        await using caller = await openCaller(terminal.env);
        const input = {
          dir,
          branch,
          ...(run === undefined ? {} : { run }),
          ...(reason === undefined ? {} : { reason }),
        };
        if (!dryRun && !yes && !(await isConfirmed(session.platform, caller, input))) {
          terminal.err('Nothing was changed.\n');
          return 1;
        }
        const result = await caller.call('undo-run', { ...input, dryRun });
        if (json) printJson(terminal, result);
        else printLines(terminal, resultLines(result));
        return 0;
      },
    });
  },
};

/** Shows what would be done and asks for confirmation; without a terminal, --yes is required. */
async function isConfirmed(
  { terminal, confirm }: Platform,
  caller: Caller,
  input: { dir: string; branch: boolean; run?: string },
): Promise<boolean> {
  const plan = await caller.call('undo-run', { ...input, dryRun: true });
  for (const line of resultLines(plan)) terminal.err(`${line}\n`);
  const answer = await confirm(`Revert run ${plan.run}?`);
  if (answer !== undefined) return answer;
  throw new AppError(
    'USAGE',
    'There is no terminal to ask for confirmation: pass --yes to revert it, or --dry-run to see what would be done',
  );
}

function resultLines({ run, dryRun, reverted, deleted, notes }: UndoResult): string[] {
  const files = reverted?.files ?? [];
  const shown = files.slice(0, MOST_FILES).map(({ status, path }) => `  ${status.padEnd(8)}  ${oneLine(path)}`);
  const left = files.length - shown.length;
  return [
    ...(reverted === null ? [] : [revertText(run, dryRun, reverted)]),
    ...shown,
    ...(left > 0 ? [`  and ${left} more`] : []),
    ...(deleted === null
      ? []
      : [`${deleted.branch} ${dryRun ? 'would be' : 'is'} deleted; its commits are kept as ${deleted.ref}`]),
    ...notes.map(oneLine),
  ];
}

function revertText(
  run: string,
  dryRun: boolean,
  { branch, commit, checks }: NonNullable<UndoResult['reverted']>,
): string {
  if (!dryRun)
    return `Run ${run} is reverted by ${commit?.slice(0, 10)} on ${branch}. To restore it: git revert ${commit?.slice(0, 10)}`;
  const names = checks.map(({ gate }) => gate).join(', ');
  return `A new commit on ${branch} would revert run ${run}${names === '' ? '' : `, provided that these checks pass: ${names}`}`;
}
