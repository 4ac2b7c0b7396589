import { z } from 'zod';
import { checkpointLines } from '../../../core/view/checkpoint.ts';
import { costText } from '../../../core/view/cost-text.ts';
import type { CompactRun } from '../../../schema/compact-run.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { oneLine } from '../../render/clean-text.ts';
import { printJson, printLines } from '../../render/output.ts';
import { summaryLines } from '../../render/summary.ts';
import { painter } from '../../render/symbols.ts';
import { resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({ compact: z.boolean().default(false), after: z.string().optional() });

const EXAMPLES = [
  'manyhands show',
  'manyhands show k3v9x2ab',
  'manyhands show k3v --json',
  'manyhands show k3v --compact --json',
];

/** Shows a run with its tasks, the results of its checks, and what to do next. */
export const showCommand: CliCommand = {
  name: 'show',
  aliases: ['status'],
  group: 'Watch',
  summary: 'show a run: tasks, checks, what to do next',
  define(command, session) {
    command
      .argument('[run]', 'default: the latest run of the project')
      .option('--compact', 'only the phase, the last action, risks and what to do next')
      .option('--after <cursor>', 'with --compact: only changes since this cursor, which the previous output contains');
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async (flags, [run]) => {
        const { terminal, world, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        await using caller = await openCaller(terminal.env);
        const ref = { dir, ...(run === undefined ? {} : { run }) };
        if (flags.compact || flags.after !== undefined) {
          const { after } = flags;
          const compact = await caller.call('compact-run', { ...ref, ...(after === undefined ? {} : { after }) });
          if (flags.json) printJson(terminal, compact);
          else printLines(terminal, compactLines(compact));
          return 0;
        }
        const document = await caller.call('show-run', ref);
        const { columns } = terminal.size();
        const view = { columns, now: world.now(), colors: painter(terminal.colors.out), hasContainment: true };
        if (flags.json) printJson(terminal, document);
        else printLines(terminal, summaryLines(document, view));
        return 0;
      },
    });
  },
};

/** A run in a few lines, for programs and people that control many runs. */
function compactLines(run: CompactRun): string[] {
  const { progress, lastAction, recommended } = run;
  const counts = Object.entries(progress.counts).map(([status, count]) => `${count} ${status}`);
  return [
    `${run.run}  ${run.status}, ${run.phase}  ${progress.done}/${progress.total} done  ${costText(run)}  ${oneLine(run.title)}`,
    ...(counts.length === 0 ? [] : [`tasks: ${counts.join(', ')}`]),
    ...(lastAction === null ? [] : [`last: ${lastAction.task ?? ''} ${oneLine(lastAction.what)}`]),
    ...run.toolCalls.slice(-5).map(({ task, tool, detail, times }) => {
      const count = times === 1 ? '' : ` (${times} times)`;
      return `called: ${task} ${oneLine(tool)} ${oneLine(detail)}${count}`;
    }),
    ...(run.changedFiles.length === 0 ? [] : [`changed: ${run.changedFiles.map(oneLine).join(', ')}`]),
    ...run.checkpoints.flatMap((checkpoint) => [
      `checkpoint: ${checkpoint.task} after ${checkpoint.steps} steps`,
      ...checkpointLines(checkpoint).map((line) => `  ${oneLine(line)}`),
    ]),
    ...run.risks.map(
      ({ severity, risk, task, detail }) => `risk (${severity}): ${risk} in ${task}: ${oneLine(detail)}`,
    ),
    ...run.warnings.map(({ task, message }) => `warning: ${task}: ${oneLine(message)}`),
    `next: ${recommended.action}: ${oneLine(recommended.because)}${recommended.command === null ? '' : ` (${recommended.command})`}`,
    `cursor: ${run.cursor}`,
  ];
}
