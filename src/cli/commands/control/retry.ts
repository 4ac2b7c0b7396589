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

/** Retries failed or blocked tasks. */
export const retryCommand: CliCommand = {
  name: 'retry',
  group: 'Control',
  summary: 'retry failed or blocked tasks, or run a done task again',
  define(command, session) {
    command
      .argument('[run]', 'default: the latest run of the project')
      .argument('[task]', 'only this task; a task that is done runs again, with all tasks that depend on it')
      .option('--requeue', 'start again in a clean workspace with a fresh attempt count, even if it is running');
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
