import { Command, CommanderError } from 'commander';
import { shellArgument } from '../core/view/shell-word.ts';
import { AppError } from '../errors.ts';
import { addDir, type ListedCommand } from './command.ts';
import { COMMANDS } from './commands/all.ts';
import { announceFailure } from './follow/detach.ts';
import type { Platform, Session } from './platform.ts';
import { asAppError, printError } from './render/output.ts';
import { type Painter, painter } from './render/symbols.ts';

const USAGE_EXIT = 2;

/** Runs the command that the arguments name and returns the exit code; every failure has been printed by then. */
export async function runProgram(argv: readonly string[], platform: Platform): Promise<number> {
  const { terminal } = platform;
  const session: Session = { platform, argv, exitCode: 0, program: () => wholeProgram(session) };
  if (argv.length === 0) {
    terminal.out(`${welcomeLines(painter(terminal.colors.out)).join('\n')}\n`);
    return 0;
  }
  const program = createProgram(session, commandsFor(argv));
  try {
    await program.parseAsync(helpAsOption(argv), { from: 'user' });
    return session.exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (error instanceof CommanderError && error.code === 'commander.help') return USAGE_EXIT;
    const failure = withCommand(
      error instanceof CommanderError ? await usageError(error, argv, program) : error,
      argv,
      program,
    );
    if (hasFlag(argv, '--background')) announceFailure(session, failure);
    const exitCode = printError(terminal, failure, hasFlag(argv, '--json'));
    await reportUnexpected(failure, argv, platform);
    return exitCode;
  }
}

/** Expected errors are rows of the table; only others are reported, by the name of the command without its arguments. */
async function reportUnexpected(failure: unknown, argv: readonly string[], platform: Platform): Promise<void> {
  if (asAppError(failure).code !== 'INTERNAL') return;
  const { reportError } = await import('../access/error-report.ts');
  const { version, world, terminal } = platform;
  const action = COMMANDS.find(({ name }) => argv.includes(name))?.name ?? 'unknown';
  await reportError(failure, { env: terminal.env, version, world, action });
}

/** The parser with every visible command, each with its arguments and options. */
export async function wholeProgram(session: Session): Promise<Command> {
  const program = createProgram(session, COMMANDS);
  for (const { name, hidden, load } of COMMANDS) {
    const command = program.commands.find((candidate) => candidate.name() === name);
    if (hidden !== true && command !== undefined) (await load()).define(command, session);
  }
  return program;
}

/** The command that the first argument names: no other can be called. Otherwise all of them. */
function commandsFor([first = '']: readonly string[]): readonly ListedCommand[] {
  const named = COMMANDS.filter(({ name, aliases = [] }) => name === first || aliases.includes(first));
  return named.length > 0 ? named : COMMANDS;
}

/** The parser with these commands; the arguments and options of a command are loaded when it is called. */
function createProgram(session: Session, commands: readonly ListedCommand[]): Command {
  const { terminal, version } = session.platform;
  const program = addDir(new Command('manyhands'))
    .description('Turns a goal into landed, verified code by running many coding agents in parallel.')
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
    .addHelpText('after', '\nmh is short for manyhands. Help for a command: manyhands <command> --help');
  for (const { name, aliases, group, summary, hidden } of commands) {
    program
      .command(name, { hidden: hidden ?? false })
      .aliases(aliases ?? [])
      .description(summary)
      .helpGroup(`${group}:`);
  }
  program.hook('preSubcommand', async (_, command) => {
    const row = commands.find(({ name }) => name === command.name());
    (await row?.load())?.define(command, session);
  });
  return program;
}

/** `help do` is `do --help`. A command that does not exist has no help: it is reported like any other misspelling. */
function helpAsOption(argv: readonly string[]): string[] {
  const words = argv[0] === 'help' ? [...argv.slice(1), '--help'] : [...argv];
  const [first = ''] = words;
  const isKnown =
    first === '' ||
    first.startsWith('-') ||
    COMMANDS.some(({ name, aliases }) => [name, ...(aliases ?? [])].includes(first));
  return isKnown ? words : words.filter((word) => word !== '--help' && word !== '-h');
}

async function usageError(error: CommanderError, argv: readonly string[], program: Command): Promise<AppError> {
  const message = missingValueText(error, program) ?? error.message.replace(/^error: /, '');
  const use = await replacement(error, argv, program);
  const goal = error.code === 'commander.unknownCommand' ? argv.find((word) => word.includes(' ')) : undefined;
  const help = goal === undefined ? '' : `\nTo work on a goal: manyhands do ${JSON.stringify(goal)}`;
  const text = use === undefined ? `${message}${help}` : `${message.split('\n')[0]}\n${use}`;
  const command = /^Use instead: manyhands (\S+)/.exec(use ?? '')?.[1];
  return new AppError('USAGE', text, command === undefined ? {} : { command }, { cause: error });
}

/** Names an option that was given without its value, and what its value can be. */
function missingValueText({ code, message }: CommanderError, program: Command): string | undefined {
  const flags = code === 'commander.optionMissingArgument' ? /'([^']+)'/.exec(message)?.[1] : undefined;
  const option = program.commands.flatMap(({ options }) => options).find((each) => each.flags === flags);
  if (flags === undefined || option === undefined) return undefined;
  const values = option.argChoices === undefined ? '' : `: ${option.argChoices.join(', ')}`;
  return `option '${flags}' needs a value${values} (${option.description})`;
}

/** What replaces a command or an option of another tool, and what of it is not used; the table is only loaded for an error. */
async function replacement(
  { code, message }: CommanderError,
  argv: readonly string[],
  program: Command,
): Promise<string | undefined> {
  const { replacedCommand, replacedOption } = await import('./other-tools.ts');
  const option = code === 'commander.unknownOption' ? /'([^'=]+)/.exec(message)?.[1] : undefined;
  const isCommand = code === 'commander.unknownCommand';
  const found = isCommand ? replacedCommand(argv) : option === undefined ? undefined : replacedOption(option, argv);
  if (found === undefined || !hasOptions(found.use, program)) return undefined;
  return `Use instead: ${found.use}${found.omitted.length === 0 ? '' : `\nNot used there: ${found.omitted.join(', ')}`}`;
}

/** Whether the command of a line has its options; true where they are not loaded, because another command was typed. */
function hasOptions(line: string, program: Command): boolean {
  const [, name, ...words] = line.split('\n', 1)[0]?.split(' ') ?? [];
  const command = program.commands.find((each) => each.name() === name);
  if (command === undefined || command.options.length === 0 || command.commands.length > 0) return true;
  const typed = words.filter((word) => /^-+[a-z]/i.test(word)).map((word) => word.split('=', 1)[0] ?? word);
  return typed.every((word) => command.options.some(({ short, long }) => word === short || word === long));
}

/** Names the command of an input error, so that its hint can be pasted. */
function withCommand(failure: unknown, argv: readonly string[], program: Command): unknown {
  if (failure instanceof AppError && failure.code === 'NOT_LEADER') return withLeader(failure, argv);
  if (!(failure instanceof AppError) || failure.code !== 'USAGE') return failure;
  const isNamed = (word: string) => (each: Command) => each.name() === word || each.aliases().includes(word);
  const at = argv.findIndex((word) => program.commands.some(isNamed(word)));
  const found = program.commands.find(isNamed(argv[at] ?? ''));
  const inner = argv.slice(at + 1).find((word) => found?.commands.some(isNamed(word)));
  const command = inner === undefined ? argv[at] : `${argv[at]} ${inner}`;
  return new AppError('USAGE', failure.message, { command, ...failure.details }, { cause: failure.cause });
}

/** Says how the same command is run on the server that leads, which `holder` names by its machine and data directory. */
function withLeader(failure: AppError, argv: readonly string[]): AppError {
  const [, machine, home] = /^([^:]+):(\/.*)$/.exec(String(failure.details.holder)) ?? [];
  if (machine === undefined || home === undefined) return failure;
  const line = `MANYHANDS_HOME=${shellArgument(home)} manyhands ${argv.map(shellArgument).join(' ')}`;
  return new AppError('NOT_LEADER', `${failure.message}. On ${machine}: ${line}`, failure.details, { cause: failure });
}

function hasFlag(argv: readonly string[], option: string): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).includes(option);
}

/** What Manyhands does, and three commands to try. */
function welcomeLines(colors: Painter): string[] {
  const command = (text: string, purpose: string) => `  ${colors.cyan(text.padEnd(49))}${colors.dim(purpose)}`;
  return [
    `${colors.bold('Manyhands')} turns a goal into landed, verified code:`,
    'many coding agents work in parallel, each in its own clone; nothing lands before your checks pass.',
    '',
    command('manyhands doctor', 'check what Manyhands needs'),
    command('manyhands do "Add a --version flag" --rehearse', 'simulate a run without a model'),
    command('manyhands do "<goal>" --check "npm test"', 'run with your agents'),
    '',
    colors.dim('All commands: manyhands --help'),
  ];
}
