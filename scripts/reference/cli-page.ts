import type { Argument, Command, Option } from 'commander';
import { createPlatform, type Surroundings } from '../../src/cli/create-platform.ts';
import { EXIT_CODES, READING_EXIT_CODES } from '../../src/cli/exit-code.ts';
import type { Session } from '../../src/cli/platform.ts';
import { wholeProgram } from '../../src/cli/program.ts';
import { code, codeBlock, type Page, referencePage, sentence, table } from './markdown.ts';

const unused = () => Promise.reject(new Error('The help needs no engine'));

/** The help is defined without any of these. */
const UNUSED: Surroundings = {
  openCaller: unused,
  openServer: unused,
  findServer: unused,
  isServedWithRuns: unused,
  takeToken: unused,
  watchForEngine: unused,
  waitForVacancy: unused,
};

/** Every command with its arguments, options, examples and exit codes. */
export async function cliPage(): Promise<Page> {
  const session: Session = {
    platform: createPlatform('', UNUSED),
    argv: [],
    exitCode: 0,
    program: () => wholeProgram(session),
  };
  const program = await wholeProgram(session);
  const commands = program.createHelp().visibleCommands(program);
  return referencePage('cli', 'Commands', [
    '`mh` and `manyhands` are the same program. `-C <folder>` before or after a command selects the project (default: the current folder). A run can be named by any unique prefix of its id; the default is the latest run of the project. A task can be named as `<run> <task>` or `<run>/<task>`.',
    'Output goes to stdout, progress and messages to stderr. With `--json` stdout is [exactly one document](json.md), also when a command [fails](errors.md).',
    ...commands.flatMap((command) => section(command, '##')),
    '## Exit codes',
    'A bug in Manyhands itself exits with 70.',
    '### Commands that start or change runs',
    exitTable(EXIT_CODES),
    '### Commands that only read',
    exitTable(READING_EXIT_CODES),
  ]);
}

function section(command: Command, level: string): string[] {
  const { commands, registeredArguments: operands } = command;
  const help = command.createHelp();
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  const { examples, exitCodes } = belowHelp(command);
  const usage = `manyhands ${nameOf(command)} ${command.usage()}`;
  return [
    `${level} ${nameOf(command)}`,
    `${sentence(command.description())}${aliasText(command)}`,
    codeBlock('', usage),
    ...(operands.length === 0 ? [] : [table(['argument', 'meaning'], operands.map(operandRow))]),
    ...(options.length === 0 ? [] : [table(['option', 'meaning'], options.map(optionRow))]),
    codeBlock('sh', examples),
    exitText(exitCodes),
    ...commands.flatMap((inner) => section(inner, `${level}#`)),
  ];
}

function nameOf(command: Command): string {
  const above = command.parent;
  return above?.parent ? `${above.name()} ${command.name()}` : command.name();
}

function aliasText(command: Command): string {
  const aliases = command.aliases().map(code);
  return aliases.length === 0 ? '' : ` Also ${aliases.join(', ')}.`;
}

function operandRow(argument: Argument): string[] {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return [code(argument.required ? `<${name}>` : `[${name}]`), meaning(argument)];
}

function optionRow(option: Option): string[] {
  return [code(option.flags), meaning(option)];
}

function meaning({ description, argChoices = [], defaultValue }: Argument | Option): string {
  const choices = argChoices.map(code).join(', ');
  return [
    description,
    ...(choices === '' ? [] : [`one of ${choices}`]),
    ...(defaultValue === undefined ? [] : [`default ${code(String(defaultValue))}`]),
  ].join('; ');
}

/** Exit codes that many commands share are listed once, at the end of the page. */
function exitText(text: string): string {
  if (text === EXIT_CODES)
    return 'Exit codes: see [commands that start or change runs](#commands-that-start-or-change-runs).';
  if (text === READING_EXIT_CODES) return 'Exit codes: see [commands that only read](#commands-that-only-read).';
  return exitTable(text);
}

function exitTable(text: string): string {
  return table(
    ['exit code', 'meaning'],
    indented(text).map((line) => line.trim().split(/ {2,}/)),
  );
}

/** What stands below the help of a command: commander gives it only as text. */
function belowHelp(command: Command): { examples: string; exitCodes: string } {
  let text = '';
  command.configureOutput({
    writeOut: (more) => {
      text += more;
    },
  });
  command.outputHelp();
  const [examples = '', codes = ''] = (text.split('\nExamples:\n')[1] ?? '').split('\n\n');
  return {
    examples: indented(examples)
      .map((line) => line.replace(/^ {2}\$ /, ''))
      .join('\n'),
    exitCodes: codes.trimEnd(),
  };
}

function indented(block: string): string[] {
  return block.split('\n').filter((line) => line.startsWith('  '));
}
