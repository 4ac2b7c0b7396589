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

/** Continues a run, or all unfinished runs of the project. */
export const resumeCommand: CliCommand = {
  name: 'resume',
  group: 'Work',
  summary: 'continue a run, or all unfinished runs',
  define(command, session) {
    command
      .argument('[run]', 'default: all unfinished runs of the project')
      .option('--track <name>', 'resume only this paused track; without a run, of the latest run');
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
            if (runs.length === 0) terminal.err('There is nothing to resume: the project has no unfinished runs.\n');
            return runs;
          },
        });
      },
    });
  },
};
