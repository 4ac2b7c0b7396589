import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../command.ts';
import { READING_EXIT_CODES } from '../exit-code.ts';
import { printJson, printLines } from '../output.ts';
import { summaryLines } from '../summary.ts';
import { painter } from '../symbols.ts';
import { resolveDir } from '../target.ts';

const EXAMPLES = ['manyhands show', 'manyhands show k3v9x2ab', 'manyhands show k3v --json'];

/** Shows a run with its tasks, what its checks said, and what to do next. */
export const showCommand: CliCommand = {
  define(command, session) {
    command.argument('[run]', 'default: the latest run here');
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: CommonOptions,
      act: async (flags, [run]) => {
        const { terminal, world, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        await using caller = await openCaller(terminal.env);
        const document = await caller.call('show-run', { dir, ...(run === undefined ? {} : { run }) });
        const view = {
          columns: terminal.size().columns,
          now: world.now(),
          colors: painter(terminal.colors.out),
          isIdle: caller.engine() === 'none',
        };
        if (flags.json) printJson(terminal, document);
        else printLines(terminal, summaryLines(document, view));
        return 0;
      },
    });
  },
};
