import { type Command, Option } from 'commander';
import { z } from 'zod';
import { AppError } from '../errors.ts';
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

/** A command in the generated list: its file is loaded only when it is called. */
export type ListedCommand = Omit<CliCommand, 'define'> & { load(): Promise<CliCommand> };

/** Runs a command with its parsed options and operands; returns the exit code. */
export type Act<S extends z.ZodType> = (options: z.output<S>, args: string[]) => Promise<number>;

/** Options of every command. */
export const CommonOptions = z.object({ dir: z.string().optional(), json: z.boolean().default(false) });
export type CommonOptions = z.infer<typeof CommonOptions>;

/** Options of commands that start or change a run and then follow it. */
export const FollowOptions = CommonOptions.extend({
  detach: z.boolean().default(false),
  background: z.boolean().default(false),
});

/** Binds a command to its run function; the options of commander are validated first. */
export function whenCalled<S extends z.ZodType>(
  command: Command,
  session: Session,
  bound: { options: S; act: Act<S> },
): void {
  command.action(async () => {
    const options = bound.options.safeParse(command.optsWithGlobals());
    if (!options.success) throw invalidOption(options.error);
    session.exitCode = await bound.act(options.data, command.args);
  });
}

/** A value that the parser of its option lets pass. */
function invalidOption({ issues }: z.ZodError): AppError {
  const [issue] = issues;
  const name = String(issue?.path[0] ?? '').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return new AppError('USAGE', `option '--${name}' is invalid: ${issue?.message ?? 'unknown value'}`);
}

export function addDir(command: Command): Command {
  return command.option('-C, --dir <folder>', 'the project folder (default: the current folder)');
}

export function addJson(command: Command): Command {
  return command.option('--json', 'print one JSON document to stdout');
}

/** Adds the options of FollowOptions; `detached` is what `--detach` does. */
export function addFollowing(command: Command, detached = 'print the run id and continue in the background'): Command {
  return command.option('--detach', detached).addOption(new Option('--background').hideHelp());
}

/** Adds examples and the meaning of the exit codes below the help. */
export function addHelp(command: Command, examples: readonly string[], exitCodes: string): Command {
  const lines = examples.map((example) => `  $ ${example}`).join('\n');
  return command.addHelpText('after', `\nExamples:\n${lines}\n\n${exitCodes}`);
}

/** Collects the values of a repeatable option. */
export function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}
