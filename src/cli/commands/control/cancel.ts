import { z } from 'zod';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { printJson } from '../../render/output.ts';
import { resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({ reason: z.string().optional(), force: z.boolean().default(false) });

const EXAMPLES = [
  'manyhands cancel',
  'manyhands cancel k3v9x2ab',
  'manyhands cancel k3v --reason "wrong branch"',
  'manyhands cancel k3v --force',
];

/** Cancels a run; its work is kept. */
export const cancelCommand: CliCommand = {
  name: 'cancel',
  group: 'Control',
  summary: 'cancel a run; its work is kept',
  define(command, session) {
    command
      .argument('[run]', 'default: the latest run of the project')
      .option('--reason <text>', 'the reason, for the record')
      .option('--force', 'kill its agents immediately; their work is still saved');
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ reason, force, json, ...flags }, [run]) => {
        const { terminal, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        await using caller = await openCaller(terminal.env);
        const input = {
          dir,
          force,
          ...(run === undefined ? {} : { run }),
          ...(reason === undefined ? {} : { reason }),
        };
        const document = await caller.call('cancel-run', input);
        if (json) printJson(terminal, document);
        else
          terminal.err(
            `Run ${document.run} is ${document.status}. List its saved work: manyhands salvage ${document.run}\n`,
          );
        return 0;
      },
    });
  },
};
