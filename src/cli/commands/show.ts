import { z } from 'zod';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../command.ts';
import { compactLines } from '../compact-lines.ts';
import { READING_EXIT_CODES } from '../exit-code.ts';
import { printJson, printLines } from '../output.ts';
import { summaryLines } from '../summary.ts';
import { painter } from '../symbols.ts';
import { resolveDir } from '../target.ts';

const Flags = CommonOptions.extend({ compact: z.boolean().default(false), after: z.string().optional() });

const EXAMPLES = [
  'manyhands show',
  'manyhands show k3v9x2ab',
  'manyhands show k3v --json',
  'manyhands show k3v --compact --json',
];

/** Shows a run with its tasks, what its checks said, and what to do next. */
export const showCommand: CliCommand = {
  define(command, session) {
    command
      .argument('[run]', 'default: the latest run here')
      .option('--compact', 'in a few words: phase, last action, risks, what to do next')
      .option('--after <cursor>', 'with --compact: only what is new since the cursor of the answer before');
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
        const view = { columns: terminal.size().columns, now: world.now(), colors: painter(terminal.colors.out) };
        if (flags.json) printJson(terminal, document);
        else printLines(terminal, summaryLines(document, view));
        return 0;
      },
    });
  },
};
