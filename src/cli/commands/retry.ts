import { addDir, addFollowing, addHelp, addJson, type CliCommand, FollowOptions, whenCalled } from '../command.ts';
import { EXIT_CODES } from '../exit-code.ts';
import { parseTarget, resolveDir } from '../target.ts';
import { work } from '../work.ts';

const EXAMPLES = ['manyhands retry', 'manyhands retry k3v9x2ab', 'manyhands retry k3v9x2ab implement/1.2 --detach'];

/** Tries failed or blocked tasks again. */
export const retryCommand: CliCommand = {
  define(command, session) {
    command
      .argument('[run]', 'default: the latest run here')
      .argument('[task]', 'one task only; a done one is done again, with all that was built upon it');
    addHelp(addDir(addJson(addFollowing(command))), EXAMPLES, EXIT_CODES);
    whenCalled(command, session, {
      options: FollowOptions,
      act: async (flags, args) => {
        const dir = await resolveDir(session.platform.terminal, flags.dir);
        return work(session, {
          ...flags,
          dir,
          begin: async (caller) => [(await caller.call('retry-run', { dir, ...parseTarget(args) })).run],
        });
      },
    });
  },
};
