import { type Command, Option } from 'commander';
import { z } from 'zod';
import { WorkFormat } from '../../schema/work-file.ts';
import { collect } from '../command.ts';
import { addStartOptions, StartFlags } from './start-options.ts';

/** The options of commands that carry out a work file, as commander gives them. */
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

/** Adds what every command that carries out a work file may say. */
export function addRunOptions(command: Command): Command {
  return addStartOptions(command)
    .addOption(
      new Option('--format <format>', 'what it is, when the content does not tell').choices(WorkFormat.options),
    )
    .option('--only <ids>', 'only these, separated by commas; repeatable', collect)
    .addOption(new Option('--tasks <ids>', 'the same as --only').argParser(collect).hideHelp())
    .option('--sequential', 'one at a time')
    .option('--dry-run', 'say what would be done, by whom and what it may cost; start nothing');
}

/** Adds what is said about pull requests of the work, and about those who would be asked. */
export function addPullRequestOptions(command: Command): Command {
  return command
    .option('--no-pr', 'open no pull request, whatever the settings say')
    .option('--with-review', 'then review the pull requests that were opened')
    .option('-y, --yes', 'approve what would be asked: the tasks made of a list, and what the review passes');
}

/** The ids that `--only` and `--tasks` name. */
export function onlyOf({ only, tasks }: Pick<RunFlags, 'only' | 'tasks'>): string[] {
  return [...only, ...tasks]
    .flatMap((ids) => ids.split(','))
    .map((id) => id.trim())
    .filter((id) => id !== '');
}
