import { z } from 'zod';
import { addDir, addFollowing, addHelp, addJson, type CliCommand, FollowOptions, whenCalled } from '../../command.ts';
import { EXIT_CODES } from '../../exit-code.ts';
import { work } from '../../follow/work.ts';
import { resolveDir } from '../../target.ts';

const Flags = FollowOptions.extend({ draft: z.boolean().optional() });

const EXAMPLES = ['manyhands pr', 'manyhands pr k3v9x2ab --draft', 'manyhands pr k3v9x2ab --json'];

/** Opens the pull request of a run, or brings the one that is there up to date. */
export const prCommand: CliCommand = {
  name: 'pr',
  group: 'Control',
  summary: 'open the pull request of a run, or bring it up to date',
  define(command, session) {
    command.argument('[run]', 'default: the latest run here');
    command.option('--draft', 'open it as a draft; unfinished or unchecked work is one anyway');
    addHelp(addDir(addJson(addFollowing(command))), EXAMPLES, EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ draft, ...flags }, [run]) => {
        const dir = await resolveDir(session.platform.terminal, flags.dir);
        const which = { dir, ...(run === undefined ? {} : { run }), ...(draft === undefined ? {} : { draft }) };
        return work(session, {
          ...flags,
          dir,
          begin: async (caller) => [(await caller.call('land-run', { ...which, how: 'pr' })).run],
        });
      },
    });
  },
};
