import { type Command, Option } from 'commander';
import { z } from 'zod';
import type { Session } from './platform.ts';

/** A command is data: how the help lists it, and its arguments, options and action. */
export interface CliCommand {
  name: string;
  aliases?: string[];
  group: 'Work' | 'Watch' | 'Control' | 'Maintenance';
  summary: string;
  hidden?: boolean;
  define(command: Command, session: Session): void;
}

/** A command as the generated list has it: its file is loaded only when it is called. */
export type ListedCommand = Omit<CliCommand, 'define'> & { load(): Promise<CliCommand> };

/** What a command does with parsed options and operands; gives the exit code. */
export type Act<S extends z.ZodType> = (options: z.output<S>, args: string[]) => Promise<number>;

/** Options of every command, whatever else it has. */
export const CommonOptions = z.object({ dir: z.string().optional(), json: z.boolean().default(false) });
export type CommonOptions = z.infer<typeof CommonOptions>;

/** Options of commands that work on a run and then follow it. */
export const FollowOptions = CommonOptions.extend({
  detach: z.boolean().default(false),
  background: z.boolean().default(false),
});

/** Binds a command to what it does; the options of commander are parsed before anybody uses them. */
export function whenCalled<S extends z.ZodType>(
  command: Command,
  session: Session,
  bound: { options: S; act: Act<S> },
): void {
  command.action(async () => {
    session.exitCode = await bound.act(bound.options.parse(command.optsWithGlobals()), command.args);
  });
}

export function addDir(command: Command): Command {
  return command.option('-C, --dir <folder>', 'the project, when it is not the current folder');
}

export function addJson(command: Command): Command {
  return command.option('--json', 'print one JSON document on stdout');
}

/** Adds those options. */
export function addFollowing(command: Command): Command {
  return command
    .option('--detach', 'print the run id and work on in the background')
    .addOption(new Option('--background').hideHelp());
}

/** Examples and what the exit codes mean, below the help. */
export function addHelp(command: Command, examples: readonly string[], exitCodes: string): Command {
  const lines = examples.map((example) => `  $ ${example}`).join('\n');
  return command.addHelpText('after', `\nExamples:\n${lines}\n\n${exitCodes}`);
}

/** Collects the values of an option that may be given several times. */
export function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}
