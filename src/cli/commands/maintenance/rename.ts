import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { cleanText } from '../../render/clean-text.ts';
import { printJson } from '../../render/output.ts';
import { resolveDir } from '../../target.ts';

const EXAMPLES = ['manyhands rename k3v9x2ab "The new basket"', 'manyhands rename k3v Nightly translations'];

/** Changes the title of a run, in any state. */
export const renameCommand: CliCommand = {
  name: 'rename',
  group: 'Maintenance',
  summary: 'change the title of a run',
  define(command, session) {
    command.argument('<run>', 'the run').argument('<title...>', 'the new title');
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: CommonOptions,
      act: async ({ json, ...flags }, [run = '', ...words]) => {
        const { terminal, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        await using caller = await openCaller(terminal.env);
        const document = await caller.call('rename-run', { dir, run, title: words.join(' ') });
        if (json) printJson(terminal, document);
        else terminal.err(`Run ${document.run} is renamed to: ${cleanText(document.title)}\n`);
        return 0;
      },
    });
  },
};
