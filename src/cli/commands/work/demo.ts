import { addFollowing, addHelp, addJson, type CliCommand, FollowOptions, whenCalled } from '../../command.ts';
import { EXIT_CODES } from '../../exit-code.ts';
import { showStart } from '../../follow/show-steps.ts';
import { work } from '../../follow/work.ts';

/** Rehearses the main job in a sample repository of its own. */
export const demoCommand: CliCommand = {
  name: 'demo',
  group: 'Work',
  summary: 'rehearse a goal in a sample repository, free of charge',
  define(command, session) {
    addFollowing(addJson(command));
    addHelp(command, ['manyhands demo', 'manyhands demo --detach'], EXIT_CODES);
    whenCalled(command, session, {
      options: FollowOptions,
      act: (flags) => {
        const { terminal } = session.platform;
        return work(session, {
          ...flags,
          dir: terminal.cwd,
          begin: async (caller) => {
            const { dir, goal, options } = await caller.call('make-demo', {});
            terminal.err(`The sample repository is ${dir}\n`);
            const request = { recipe: 'goal' as const, input: { goal }, options };
            const begin = () => caller.call('start-run', request);
            return [(await showStart(session.platform, caller, { dir, begin })).run];
          },
        });
      },
    });
  },
};
