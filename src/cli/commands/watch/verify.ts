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
  0  verified: everything that was asked of it holds now
  2  the command was not understood
  3  it could not be done; the message says why
  4  blocked: the reasons are printed`;

/** Says whether the result of a run can be accepted as it stands now. */
export const verifyCommand: CliCommand = {
  name: 'verify',
  group: 'Watch',
  summary: 'whether the result of a run can be accepted as it stands',
  define(command, session) {
    command.argument('[run]', 'default: the latest run here');
    command.option('--rerun', 'run its checks again first, whatever was proven before');
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
  const word = acceptance === 'verified' ? colors.green('✓ verified') : colors.red('✗ blocked');
  const rows = criteria.map(({ criterion, verdict, reason }) => [`${MARKS[verdict]} ${criterion}`, oneLine(reason)]);
  const about = tree === null ? [] : [colors.dim(`  about the tree ${tree}`)];
  // A reason that is cut off cannot be acted on: only what passed may be shortened.
  const width = acceptance === 'verified' ? columns : Number.MAX_SAFE_INTEGER;
  return [
    `${word}  ${colors.bold(oneLine(title))}  ${colors.dim(run)}`,
    ...tableLines([{ title: '' }, { title: '' }], rows, width).map((line) => `  ${line}`),
    ...about,
  ];
}

const MARKS = { pass: '✓', warn: '!', fail: '✗' } as const;
