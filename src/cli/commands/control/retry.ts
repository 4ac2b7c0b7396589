import { z } from 'zod';
import { addDir, addFollowing, addHelp, addJson, type CliCommand, FollowOptions, whenCalled } from '../../command.ts';
import { EXIT_CODES } from '../../exit-code.ts';
import { work } from '../../follow/work.ts';
import { parseTarget, resolveDir } from '../../target.ts';

const EXAMPLES = [
  'manyhands retry',
  'manyhands retry k3v9x2ab',
  'manyhands retry k3v9x2ab implement/1.2 --detach',
  'manyhands retry k3v9x2ab implement/1.2 --requeue',
];

const Flags = FollowOptions.extend({ requeue: z.boolean().default(false) });

/** Tries failed or blocked tasks again. */
export const retryCommand: CliCommand = {
  name: 'retry',
  group: 'Control',
  summary: 'try failed or blocked tasks again, or do a done one again',
  define(command, session) {
    command
      .argument('[run]', 'default: the latest run here')
      .argument('[task]', 'one task only; a done one is done again, with all that was built upon it')
      .option('--requeue', 'back in line from a clean workspace, without counting what was tried; also one that runs');
    addHelp(addDir(addJson(addFollowing(command))), EXAMPLES, EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ requeue, ...flags }, args) => {
        const dir = await resolveDir(session.platform.terminal, flags.dir);
        return work(session, {
          ...flags,
          dir,
          begin: async (caller) => [(await caller.call('retry-run', { dir, ...parseTarget(args), requeue })).run],
        });
      },
    });
  },
};
