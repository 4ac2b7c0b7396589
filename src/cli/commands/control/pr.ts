import { z } from 'zod';
import { addDir, addFollowing, addHelp, addJson, type CliCommand, FollowOptions, whenCalled } from '../../command.ts';
import { EXIT_CODES } from '../../exit-code.ts';
import { work } from '../../follow/work.ts';
import { resolveDir } from '../../target.ts';

const Flags = FollowOptions.extend({ draft: z.boolean().optional() });

const EXAMPLES = ['manyhands pr', 'manyhands pr k3v9x2ab --draft', 'manyhands pr k3v9x2ab --json'];

/** Opens the pull request of a run, or updates the existing one. */
export const prCommand: CliCommand = {
  name: 'pr',
  group: 'Control',
  summary: 'open or update the pull request of a run',
  define(command, session) {
    command.argument('[run]', 'default: the latest run of the project');
    command.option('--draft', 'open it as a draft (always the case for unfinished or unchecked work)');
    addHelp(addDir(addJson(addFollowing(command))), EXAMPLES, EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ draft, ...flags }, [run]) => {
        const dir = await resolveDir(session.platform.terminal, flags.dir);
        const input = { dir, ...(run === undefined ? {} : { run }), ...(draft === undefined ? {} : { draft }) };
        return work(session, {
          ...flags,
          dir,
          begin: async (caller) => [(await caller.call('land-run', { ...input, how: 'pr' })).run],
        });
      },
    });
  },
};
