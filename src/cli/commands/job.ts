import { Option } from 'commander';
import { z } from 'zod';
import { StopRule } from '../../schema/request.ts';
import { RetryPolicy } from '../../schema/task.ts';
import { wholeNumber } from '../amounts.ts';
import { addHelp, type CliCommand, collect, whenCalled } from '../command.ts';
import { EXIT_CODES } from '../exit-code.ts';
import { addStartOptions, StartFlags } from '../start-options.ts';
import { startRun } from '../start-run.ts';
import { parseStopRule } from '../stop-rule.ts';

const Flags = StartFlags.extend({
  after: z.array(z.string()).default([]),
  priority: z.number().optional(),
  stop: StopRule.partial().optional(),
  retry: RetryPolicy.optional(),
  role: z.string().optional(),
  write: z.boolean().default(false),
});

const EXAMPLES = [
  'manyhands job "Rename Cart to Basket everywhere" --check "npm test"',
  'manyhands job "Where are prices rounded?" --role research',
  'manyhands job "Write the changelog" --after k3v9x2ab --stop time=10m --retry analyze',
];

/** Gives one task to one agent, without a plan. */
export const jobCommand: CliCommand = {
  define(command, session) {
    command.argument('<task...>', 'what to do; - reads it from standard input, @file from a file');
    addStartOptions(command)
      .option('--after <run>', 'start when this run, or run/task, is done; repeatable', collect)
      .option('--priority <n>', 'from -10 (last) to 10 (first)', wholeNumber(-10, 10))
      .option('--stop <rule>', 'turns=N, budget=USD, time=10m or completion; repeatable', parseStopRule)
      .addOption(new Option('--retry <policy>', 'what to do after a failure').choices(RetryPolicy.options))
      .option('-r, --role <role>', 'the role to play; it only reads unless --write')
      .option('-w, --write', 'let the role change files');
    addHelp(command, EXAMPLES, EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: (flags, words) =>
        startRun(session, {
          flags,
          words,
          request: (task, options) => ({ recipe: 'job', input: { task, ...jobInput(flags) }, options }),
        }),
    });
  },
};

function jobInput({ after, priority, stop, retry, role, write }: z.infer<typeof Flags>) {
  return {
    after,
    write,
    ...(priority === undefined ? {} : { priority }),
    ...(stop === undefined ? {} : { stop }),
    ...(retry === undefined ? {} : { retry }),
    ...(role === undefined ? {} : { role }),
  };
}
