import { z } from 'zod';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { wholeNumber } from '../../render/amounts.ts';
import { printJson } from '../../render/output.ts';
import { parseTarget, resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({ to: z.number() });

const EXAMPLES = [
  'manyhands prioritize k3v9x2ab implement/1.3 --to 5',
  'manyhands prioritize k3v item/7 --to=-2',
  'manyhands prioritize k3v --to 5',
];

/** Changes which of the queued tasks of a run start first, or which run does. */
export const prioritizeCommand: CliCommand = {
  name: 'prioritize',
  group: 'Control',
  summary: 'change the priority of a queued task, or of all of a run',
  define(command, session) {
    command
      .argument('<run>', 'the run')
      .argument('[task]', 'the task; default: all queued tasks of the run')
      .requiredOption('--to <priority>', 'from -10 (last) to 10 (first)', wholeNumber(-10, 10));
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ to, json, ...flags }, args) => {
        const { terminal, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        const { task, ...ref } = parseTarget(args);
        await using caller = await openCaller(terminal.env);
        const document =
          task === undefined
            ? await caller.call('prioritize-run', { dir, ...ref, priority: to })
            : await caller.call('prioritize-task', { dir, ...ref, task, priority: to });
        if (json) printJson(terminal, document);
        else
          terminal.err(
            `${task === undefined ? 'Every queued task' : `Task ${task}`} of run ${document.run} has priority ${to}.\n`,
          );
        return 0;
      },
    });
  },
};
