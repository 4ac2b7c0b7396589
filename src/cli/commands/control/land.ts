import { Option } from 'commander';
import { z } from 'zod';
import { BranchLandMode } from '../../../schema/config/land.ts';
import { addDir, addFollowing, addHelp, addJson, type CliCommand, FollowOptions, whenCalled } from '../../command.ts';
import { exitCodeOfLanding } from '../../exit-code.ts';
import { work } from '../../follow/work.ts';
import { resolveDir } from '../../target.ts';

const Flags = FollowOptions.extend({ how: BranchLandMode.optional(), accept: z.string().optional() });

const EXIT_CODES = `Exit codes:
  0    landed; of a run that is done in part, the tasks that succeeded
  1    not landed: the run failed or was cancelled
  2    invalid command line
  3    the command failed; the message states the reason
  4    waiting for the user (held, blocked, awaiting approval), or landed without any check, without its review, or with tests of --known-red
  130  interrupted; manyhands resume continues the run`;

const EXAMPLES = ['manyhands land', 'manyhands land k3v9x2ab', 'manyhands land k3v9x2ab --how pr'];

/** Lands the branch of a run on its base. */
export const landCommand: CliCommand = {
  name: 'land',
  group: 'Control',
  summary: 'land the branch of a run on its base',
  define(command, session) {
    command.argument('[run]', 'default: the latest run of the project');
    command.addOption(
      new Option('--how <how>', 'merge fast-forwards the base (default); pr opens a pull request').choices(
        BranchLandMode.options,
      ),
    );
    command.option('--accept <tree>', 'land this tree despite its findings; the refusal names the tree');
    addHelp(addDir(addJson(addFollowing(command))), EXAMPLES, EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ how, accept, ...flags }, [run]) => {
        const dir = await resolveDir(session.platform.terminal, flags.dir);
        const input = {
          dir,
          ...(run === undefined ? {} : { run }),
          ...(how === undefined ? {} : { how }),
          ...(accept === undefined ? {} : { accept }),
        };
        return work(session, {
          ...flags,
          dir,
          exitCode: exitCodeOfLanding,
          begin: async (caller) => [(await caller.call('land-run', input)).run],
        });
      },
    });
  },
};
