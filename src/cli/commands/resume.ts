import { addDir, addFollowing, addHelp, addJson, type CliCommand, FollowOptions, whenCalled } from '../command.ts';
import { EXIT_CODES } from '../exit-code.ts';
import { resolveDir } from '../target.ts';
import { work } from '../work.ts';

const EXAMPLES = ['manyhands resume', 'manyhands resume k3v9x2ab', 'manyhands resume --detach'];

/** Goes on with a run, or with all unfinished ones of the project. */
export const resumeCommand: CliCommand = {
  define(command, session) {
    command.argument('[run]', 'default: all unfinished runs here');
    addHelp(addDir(addJson(addFollowing(command))), EXAMPLES, EXIT_CODES);
    whenCalled(command, session, {
      options: FollowOptions,
      act: async (flags, [run]) => {
        const { terminal } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        return work(session, {
          ...flags,
          dir,
          many: run === undefined,
          begin: async (caller) => {
            const { runs } = await caller.call('resume-runs', { dir, ...(run === undefined ? {} : { run }) });
            if (runs.length === 0) terminal.err('There is nothing to resume: no run here is unfinished.\n');
            return runs;
          },
        });
      },
    });
  },
};
