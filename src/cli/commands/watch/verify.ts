import { z } from 'zod';
import type { Acceptance } from '../../../schema/acceptance.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { oneLine } from '../../render/clean-text.ts';
import { printJson, printLines, tableLines } from '../../render/output.ts';
import { type Painter, painter } from '../../render/symbols.ts';
import { resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({ rerun: z.boolean().default(false) });

const EXAMPLES = ['manyhands verify', 'manyhands verify k3v9x2ab --rerun', 'manyhands verify k3v --json'];

const VERIFY_EXIT_CODES = `Exit codes:
  0  verified: every criterion is met now
  2  invalid command line
  3  the command failed; the message states the reason
  4  blocked: the reasons are printed`;

/** Checks whether the current result of a run can be accepted. */
export const verifyCommand: CliCommand = {
  name: 'verify',
  group: 'Watch',
  summary: 'check whether the current result of a run can be accepted',
  define(command, session) {
    command.argument('[run]', 'default: the latest run of the project');
    command.option('--rerun', 'run its checks again first, even if they have passed on this tree');
    addHelp(addDir(addJson(command)), EXAMPLES, VERIFY_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ rerun, json, ...flags }, [run]) => {
        const { terminal, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        const target = { dir, ...(run === undefined ? {} : { run }) };
        await using caller = await openCaller(terminal.env);
        if (rerun) await caller.call('recheck-run', target);
        const acceptance = await caller.call('verify-run', target);
        if (json) printJson(terminal, acceptance);
        else printLines(terminal, acceptanceLines(acceptance, painter(terminal.colors.out), terminal.size().columns));
        return acceptance.acceptance === 'verified' ? 0 : 4;
      },
    });
  },
};

function acceptanceLines(
  { run, title, acceptance, criteria, tree }: Acceptance,
  colors: Painter,
  columns: number,
): string[] {
  const status = acceptance === 'verified' ? colors.green('✓ verified') : colors.red('✗ blocked');
  const rows = criteria.map(({ criterion, verdict, reason }) => [`${MARKS[verdict]} ${criterion}`, oneLine(reason)]);
  const about = tree === null ? [] : [colors.dim(`  for the tree ${tree}`)];
  // The reason of a failed criterion is printed in full, so that the user can act on it.
  const width = acceptance === 'verified' ? columns : Number.MAX_SAFE_INTEGER;
  return [
    `${status}  ${colors.bold(oneLine(title))}  ${colors.dim(run)}`,
    ...tableLines([{ title: '' }, { title: '' }], rows, width).map((line) => `  ${line}`),
    ...about,
  ];
}

const MARKS = { pass: '✓', warn: '!', fail: '✗' } as const;
