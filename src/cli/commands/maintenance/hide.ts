import { z } from 'zod';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { printJson } from '../../render/output.ts';
import { resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({ undo: z.boolean().default(false) });

const EXAMPLES = ['manyhands hide k3v9x2ab', 'manyhands hide k3v --undo', 'manyhands ls --hidden'];

/** Hides a run from lists; nothing is removed. */
export const hideCommand: CliCommand = {
  name: 'hide',
  group: 'Maintenance',
  summary: 'hide a run from lists',
  define(command, session) {
    command.argument('<run>', 'the run').option('--undo', 'list it again');
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ undo, json, ...flags }, [run = '']) => {
        const { terminal, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        await using caller = await openCaller(terminal.env);
        const filed = await caller.call('hide-run', { dir, run, hidden: !undo });
        if (json) printJson(terminal, filed);
        else if (filed.hidden) terminal.err(`Run ${filed.run} is hidden; manyhands ls --hidden lists it.\n`);
        else terminal.err(`Run ${filed.run} is listed again.\n`);
        return 0;
      },
    });
  },
};
