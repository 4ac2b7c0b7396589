import { z } from 'zod';
import { addHelp, type CliCommand, whenCalled } from '../../command.ts';
import { EXIT_CODES } from '../../exit-code.ts';
import { startOrOutline } from '../../start/outline.ts';
import { addStartOptions, StartFlags } from '../../start/start-options.ts';

const Flags = StartFlags.extend({ planOnly: z.boolean().default(false), dryRun: z.boolean().default(false) });

const EXAMPLES = [
  'manyhands do "Add a --json flag to every command" --check "npm test"',
  'manyhands do @goal.md --dry-run',
  'manyhands do @goal.md --plan-only',
  'manyhands do "Fix the flaky tests" --agent command:./agent.sh --budget 5 --land merge',
];

/** Plans a goal, runs the tasks in parallel, and merges them into one checked result. */
export const doCommand: CliCommand = {
  name: 'do',
  group: 'Work',
  summary: 'plan a goal, run the tasks in parallel, merge one checked result',
  define(command, session) {
    command.argument('<goal...>', 'the goal; - reads it from standard input, @file from a file');
    addStartOptions(command, session)
      .option('--plan-only', 'stop after planning and wait for manyhands approve')
      .option('--dry-run', 'show the phases, the maximum cost and the stop conditions; start nothing');
    addHelp(command, EXAMPLES, EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: (flags, words) =>
        startOrOutline(
          session,
          {
            flags,
            words,
            request: (goal, options) => ({ recipe: 'goal', input: { goal, planOnly: flags.planOnly }, options }),
          },
          flags.dryRun,
        ),
    });
  },
};
