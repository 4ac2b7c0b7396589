import type { Argument, Command, Option } from 'commander';
import type { Session } from '../../src/cli/platform.ts';
import { wholeProgram } from '../../src/cli/program.ts';
import { createPlatform } from '../../src/platform.ts';
import { code, codeBlock, type Page, referencePage, sentence, table } from './markdown.ts';

/** Every command with its arguments, options, examples and exit codes. */
export async function cliPage(): Promise<Page> {
  const session: Session = {
    platform: createPlatform(''),
    argv: [],
    exitCode: 0,
    program: () => wholeProgram(session),
  };
  const program = await wholeProgram(session);
  const commands = program.createHelp().visibleCommands(program);
  return referencePage('cli', 'Commands', [
    '`mh` and `manyhands` are the same program. `-C <folder>` before or after a command names the project, when it is not the current folder. Where a run is asked for, any unique beginning of its id will do, and nothing means the latest run of the project; where a task is asked for, `<run> <task>` and `<run>/<task>` are the same.',
    'Output goes to stdout, progress and messages to stderr. With `--json` stdout holds [exactly one document](json.md), also when a command [fails](errors.md).',
    ...commands.flatMap((command) => section(command, '##')),
  ]);
}

function section(command: Command, level: string): string[] {
  const { commands, registeredArguments: operands } = command;
  const help = command.createHelp();
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  const { examples, exitCodes } = afterHelp(command);
  return [
    `${level} ${nameOf(command)}`,
    `${sentence(command.description())}${aliasText(command)}`,
    codeBlock('', help.commandUsage(command)),
    ...(operands.length === 0 ? [] : [table(['argument', 'meaning'], operands.map(operandRow))]),
    ...(options.length === 0 ? [] : [table(['option', 'meaning'], options.map(optionRow))]),
    codeBlock('sh', examples),
    ...(exitCodes.length === 0 ? [] : [table(['exit code', 'meaning'], exitCodes)]),
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
  return [
    code(argument.required ? `<${name}>` : `[${name}]`),
    [sentence(argument.description), ...choiceText(argument.argChoices)].join(' '),
  ];
}

function optionRow(option: Option): string[] {
  const value = option.defaultValue === undefined ? [] : [`Default: ${code(String(option.defaultValue))}.`];
  return [code(option.flags), [sentence(option.description), ...choiceText(option.argChoices), ...value].join(' ')];
}

function choiceText(choices: readonly string[] | undefined): string[] {
  return choices === undefined ? [] : [`One of ${choices.map(code).join(', ')}.`];
}

/** What stands below the help of a command: commander has it only as text. */
function afterHelp(command: Command): { examples: string; exitCodes: string[][] } {
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  command.emit('afterHelp', { error: false, command, write });
  const [examples = '', codes = ''] = text.split('\nExit codes:\n');
  const lines = (block: string) => block.split('\n').filter((line) => line.startsWith('  '));
  return {
    examples: lines(examples)
      .map((line) => line.replace(/^ {2}\$ /, ''))
      .join('\n'),
    exitCodes: lines(codes).map((line) => line.trim().split(/ {2,}/)),
  };
}
