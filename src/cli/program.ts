import { Command, CommanderError } from 'commander';
import { AppError } from '../errors.ts';
import { addDir } from './command.ts';
import { announceFailure } from './detach.ts';
import { printError } from './output.ts';
import type { Platform, Session } from './platform.ts';
import { COMMANDS } from './registry.ts';
import { painter } from './symbols.ts';
import { welcomeLines } from './welcome.ts';

const USAGE_EXIT = 2;

/** Does what the arguments ask for and gives the exit code; every failure has been told when it returns. */
export async function runProgram(argv: readonly string[], platform: Platform): Promise<number> {
  const { terminal } = platform;
  const session: Session = { platform, argv, exitCode: 0, program: () => wholeProgram(session) };
  if (argv.length === 0) {
    terminal.out(`${welcomeLines(painter(terminal.colors.out)).join('\n')}\n`);
    return 0;
  }
  try {
    await createProgram(session).parseAsync(helpAsOption(argv), { from: 'user' });
    return session.exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (error instanceof CommanderError && error.code === 'commander.help') return USAGE_EXIT;
    const failure = error instanceof CommanderError ? usageError(error, argv) : error;
    if (isAsked(argv, '--background')) announceFailure(session, failure);
    return printError(terminal, failure, isAsked(argv, '--json'));
  }
}

/** The parser with every command that is shown, each defined. */
export async function wholeProgram(session: Session): Promise<Command> {
  const program = createProgram(session);
  for (const { name, hidden, load } of COMMANDS) {
    const command = program.commands.find((candidate) => candidate.name() === name);
    if (hidden !== true && command !== undefined) (await load()).define(command, session);
  }
  return program;
}

/** The parser with all commands; each is defined when it is called. */
function createProgram(session: Session): Command {
  const { terminal, version } = session.platform;
  const program = addDir(new Command('manyhands'))
    .description('Turns a goal into landed, verified code by putting many coding agents to work side by side.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .usage('[-C <folder>] <command> [options]')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      outputError: () => {},
      getOutHelpWidth: () => terminal.size().columns,
      getErrHelpWidth: () => terminal.size().columns,
      getOutHasColors: () => terminal.colors.out,
      getErrHasColors: () => terminal.colors.err,
    })
    .addHelpText('after', '\nmh is short for manyhands. More about a command: manyhands <command> --help');
  for (const { name, aliases, group, summary, hidden } of COMMANDS) {
    program
      .command(name, { hidden: hidden ?? false })
      .aliases(aliases ?? [])
      .description(summary)
      .helpGroup(`${group}:`);
  }
  program.hook('preSubcommand', async (_, command) => {
    const row = COMMANDS.find(({ name }) => name === command.name());
    (await row?.load())?.define(command, session);
  });
  return program;
}

/** `help do` is `do --help`. */
function helpAsOption(argv: readonly string[]): string[] {
  return argv[0] === 'help' ? [...argv.slice(1), '--help'] : [...argv];
}

function usageError(error: CommanderError, argv: readonly string[]): AppError {
  const message = error.message.replace(/^error: /, '');
  const goal = error.code === 'commander.unknownCommand' ? argv.find((word) => word.includes(' ')) : undefined;
  const help = goal === undefined ? '' : `\nTo start on a goal: manyhands do ${JSON.stringify(goal)}`;
  return new AppError('USAGE', `${message}${help}`, {}, { cause: error });
}

function isAsked(argv: readonly string[], option: string): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).includes(option);
}
