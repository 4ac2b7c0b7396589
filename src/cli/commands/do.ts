import { z } from 'zod';
import { addHelp, type CliCommand, whenCalled } from '../command.ts';
import { EXIT_CODES } from '../exit-code.ts';
import { readGoalText } from '../goal-text.ts';
import { addStartOptions, StartFlags, startOptions } from '../start-options.ts';
import { startRun } from '../start-run.ts';
import { work } from '../work.ts';

const Flags = StartFlags.extend({ planOnly: z.boolean().default(false) });

const EXAMPLES = [
  'manyhands do "Add a --json flag to every command" --check "npm test"',
  'manyhands do @goal.md --plan-only',
  'manyhands do "Fix the flaky tests" --agent command:./agent.sh --budget 5 --land merge',
];

/** Turns a goal into a plan, the plan into parallel work, and that into one checked result. */
export const doCommand: CliCommand = {
  define(command, session) {
    command.argument('<goal...>', 'what to achieve; - reads it from standard input, @file from a file');
    addStartOptions(command).option('--plan-only', 'stop after the plan and wait for manyhands approve');
    addHelp(command, EXAMPLES, EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async (flags, args) => {
        const { terminal } = session.platform;
        const options = await startOptions(terminal, flags);
        return work(session, {
          ...flags,
          dir: options.dir,
          readsInput: args[0] === '-',
          begin: async (caller) => {
            const goal = await readGoalText(terminal, args);
            const input = { goal, planOnly: flags.planOnly };
            return startRun(terminal, caller, { recipe: 'goal', input, options });
          },
        });
      },
    });
  },
};
