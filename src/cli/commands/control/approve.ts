import { z } from 'zod';
import { addDir, addFollowing, addHelp, addJson, type CliCommand, FollowOptions, whenCalled } from '../../command.ts';
import { EXIT_CODES } from '../../exit-code.ts';
import { work } from '../../follow/work.ts';
import { parseTarget, resolveDir } from '../../target.ts';

const Flags = FollowOptions.extend({
  note: z.string().optional(),
  hold: z.string().optional(),
  option: z.string().optional(),
});

const EXAMPLES = [
  'manyhands approve',
  'manyhands approve k3v9x2ab implement/1.2',
  'manyhands approve k3v --note "fine by me"',
];

/** Approves a plan or held work, and continues the run. */
export const approveCommand: CliCommand = {
  name: 'approve',
  aliases: ['ok'],
  group: 'Control',
  summary: 'approve a plan or held work',
  define(command, session) {
    command.argument('[run]', 'default: the latest run of the project').argument('[task]', 'only this task');
    command
      .option('--note <text>', 'the reason, for the record')
      .option('--hold <id>', 'only this hold, as manyhands show lists it')
      .option('--option <id>', 'the chosen option, where the hold has several');
    addHelp(addDir(addJson(addFollowing(command))), EXAMPLES, EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ note, hold, option, ...flags }, args) => {
        const dir = await resolveDir(session.platform.terminal, flags.dir);
        const answer = {
          ...(note === undefined ? {} : { note }),
          ...(hold === undefined ? {} : { hold }),
          ...(option === undefined ? {} : { option }),
        };
        const input = { dir, ...parseTarget(args), ...answer };
        return work(session, {
          ...flags,
          dir,
          begin: async (caller) => [(await caller.call('approve-run', input)).run],
        });
      },
    });
  },
};
