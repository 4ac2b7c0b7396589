import { z } from 'zod';
import { addDir, addFollowing, addHelp, addJson, type CliCommand, FollowOptions, whenCalled } from '../../command.ts';
import { EXIT_CODES } from '../../exit-code.ts';
import { work } from '../../follow/work.ts';
import { parseTarget, resolveDir } from '../../target.ts';

const Flags = FollowOptions.extend({ reason: z.string(), hold: z.string().optional() });

const EXAMPLES = [
  'manyhands reject --reason "split it into smaller tasks"',
  'manyhands reject k3v9x2ab implement/1.2 --reason "keep the public names"',
];

/** Rejects a plan or held work with a reason, and continues the run. */
export const rejectCommand: CliCommand = {
  name: 'reject',
  group: 'Control',
  summary: 'reject a plan or held work; the agent gets the reason',
  define(command, session) {
    command.argument('[run]', 'default: the latest run of the project').argument('[task]', 'only this task');
    command
      .requiredOption('--reason <text>', 'why, for the agent and for the record')
      .option('--hold <id>', 'only this hold, as manyhands show lists it');
    addHelp(addDir(addJson(addFollowing(command))), EXAMPLES, EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ reason, hold, ...flags }, args) => {
        const dir = await resolveDir(session.platform.terminal, flags.dir);
        const input = { dir, ...parseTarget(args), reason, ...(hold === undefined ? {} : { hold }) };
        return work(session, {
          ...flags,
          dir,
          begin: async (caller) => [(await caller.call('reject-run', input)).run],
        });
      },
    });
  },
};
