import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { printJson, printLines, tableLines } from '../../render/output.ts';
import { painter } from '../../render/symbols.ts';
import { resolveDir } from '../../target.ts';

const EXAMPLES = ['manyhands where', 'manyhands where --json'];

/** Prints every path that Manyhands writes to. */
export const whereCommand: CliCommand = {
  name: 'where',
  group: 'Maintenance',
  summary: 'print every path that Manyhands writes to',
  define(command, session) {
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: CommonOptions,
      act: async (flags) => {
        const { terminal, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        await using caller = await openCaller(terminal.env);
        const paths = await caller.call('where', { dir });
        const colors = painter(terminal.colors.out);
        const rows = paths.map(({ what, path, exists }) => [what, exists ? path : `${path} (does not exist yet)`]);
        const lines = tableLines([{ title: '' }, { title: '' }], rows, Number.MAX_SAFE_INTEGER);
        if (flags.json) printJson(terminal, paths);
        else
          printLines(
            terminal,
            lines.map((line, index) => (paths[index]?.exists ? line : colors.dim(line))),
          );
        return 0;
      },
    });
  },
};
