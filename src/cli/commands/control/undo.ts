import { z } from 'zod';
import type { Caller } from '../../../access/caller.ts';
import { AppError } from '../../../errors.ts';
import type { UndoResult } from '../../../schema/undo.ts';
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
  0  taken back, or in a dry run: it could be
  1  a person said no; nothing was changed
  2  the command was not understood
  3  it could not be done; the message says why
  4  it cannot be taken back safely, and nothing was changed`;

const MOST_FILES = 30;

/** Takes a landed run back by a new commit, where git proves it safe. */
export const undoCommand: CliCommand = {
  name: 'undo',
  group: 'Control',
  summary: 'take a landed run back, where that is safe',
  define(command, session) {
    command
      .argument('[run]', 'default: the latest run here')
      .option('--branch', 'also delete the branch of the run; its commits are kept')
      .option('--dry-run', 'only say what would be done')
      .option('--reason <text>', 'why, for the record')
      .option('-y, --yes', 'do not ask');
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
        if (!dryRun && !yes && !(await isAgreed(session.platform, caller, input))) {
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

/** Shows what would be done and asks; where there is nobody to ask, --yes must have been said. */
async function isAgreed(
  { terminal, confirm }: Platform,
  caller: Caller,
  input: { dir: string; branch: boolean; run?: string },
): Promise<boolean> {
  const plan = await caller.call('undo-run', { ...input, dryRun: true });
  for (const line of resultLines(plan)) terminal.err(`${line}\n`);
  const answer = await confirm(`Take run ${plan.run} back?`);
  if (answer !== undefined) return answer;
  throw new AppError(
    'USAGE',
    'There is no terminal to ask at: pass --yes to do it, or --dry-run to see what it would do',
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
    return `Run ${run} is taken back: ${commit?.slice(0, 10)} on ${branch}. To have it again: git revert ${commit?.slice(0, 10)}`;
  const names = checks.map(({ gate }) => gate).join(', ');
  return `A new commit on ${branch} would take run ${run} back${names === '' ? '' : `, if these pass without it: ${names}`}`;
}
