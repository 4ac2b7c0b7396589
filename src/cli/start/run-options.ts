import { type Command, Option } from 'commander';
import { z } from 'zod';
import { WorkFormat } from '../../schema/work-file.ts';
import { collect } from '../command.ts';
import type { Session } from '../platform.ts';
import { addStartOptions, StartFlags } from './start-options.ts';

/** The options of commands that run a work file, as commander returns them. */
export const RunFlags = StartFlags.extend({
  format: WorkFormat.optional(),
  only: z.array(z.string()).default([]),
  tasks: z.array(z.string()).default([]),
  dryRun: z.boolean().default(false),
  execute: z.boolean().default(false),
  yes: z.boolean().default(false),
  sequential: z.boolean().default(false),
  pr: z.boolean().default(true),
  withReview: z.boolean().default(false),
  output: z.string().optional(),
  force: z.boolean().default(false),
});
export type RunFlags = z.infer<typeof RunFlags>;

/** Adds the options of every command that runs a work file. */
export function addRunOptions(command: Command, session: Session): Command {
  return addStartOptions(command, session)
    .addOption(
      new Option('--format <format>', 'the format, if it is not recognized from the content').choices(
        WorkFormat.options,
      ),
    )
    .option('--only <ids>', 'only these ids, separated by commas; repeatable', collect)
    .addOption(new Option('--tasks <ids>', 'the same as --only').argParser(collect).hideHelp())
    .option('--sequential', 'one attempt at a time')
    .option('--dry-run', 'show what would run, by which agents and at what cost; start nothing');
}

/** Adds the options about pull requests and confirmations. */
export function addPullRequestOptions(command: Command): Command {
  return command
    .option('--no-pr', 'open no pull request; overrides the settings')
    .option('--with-review', 'review the pull requests afterwards')
    .option('-y, --yes', 'do not ask for confirmation: approve the planned tasks, and what the review passes');
}

/** The ids that `--only` and `--tasks` name. */
export function onlyOf({ only, tasks }: Pick<RunFlags, 'only' | 'tasks'>): string[] {
  return [...only, ...tasks]
    .flatMap((ids) => ids.split(','))
    .map((id) => id.trim())
    .filter((id) => id !== '');
}
