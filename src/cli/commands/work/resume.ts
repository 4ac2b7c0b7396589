import { z } from 'zod';
import { addDir, addFollowing, addHelp, addJson, type CliCommand, FollowOptions, whenCalled } from '../../command.ts';
import { EXIT_CODES } from '../../exit-code.ts';
import { work } from '../../follow/work.ts';
import { resolveDir } from '../../target.ts';

const EXAMPLES = [
  'manyhands resume',
  'manyhands resume k3v9x2ab',
  'manyhands resume k3v9x2ab --track backend',
  'manyhands resume --detach',
];

const Flags = FollowOptions.extend({ track: z.string().optional() });

/** Goes on with a run, or with all unfinished ones of the project. */
export const resumeCommand: CliCommand = {
  name: 'resume',
  group: 'Work',
  summary: 'go on with a run, or with all unfinished ones',
  define(command, session) {
    command
      .argument('[run]', 'default: all unfinished runs here')
      .option('--track <name>', 'go on with this paused track only; without a run, of the latest one here');
    addHelp(addDir(addJson(addFollowing(command))), EXAMPLES, EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ track, ...flags }, [run]) => {
        const { terminal } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        return work(session, {
          ...flags,
          dir,
          many: run === undefined && track === undefined,
          begin: async (caller) => {
            const { runs } = await caller.call('resume-runs', {
              dir,
              ...(run === undefined ? {} : { run }),
              ...(track === undefined ? {} : { track }),
            });
            if (runs.length === 0) terminal.err('There is nothing to resume: no run here is unfinished.\n');
            return runs;
          },
        });
      },
    });
  },
};
