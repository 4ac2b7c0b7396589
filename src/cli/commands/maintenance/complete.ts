import { type Complete, RootCommand, type Command as TabCommand } from '@bomb.sh/tab';
import type { Command, Option } from 'commander';
import { describeConfig } from '../../../config/describe.ts';
import { type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { type Candidate, type CompletionValues, completionValues } from '../../completion/completion-values.ts';
import type { Session } from '../../platform.ts';
import { oneLine } from '../../render/clean-text.ts';

/** Prints the completions for the words that the completion script passes. */
export const completeCommand: CliCommand = {
  name: 'complete',
  group: 'Maintenance',
  summary: 'print completions for a completion script',
  hidden: true,
  define(command, session) {
    command.argument('[words...]');
    whenCalled(command, session, {
      options: CommonOptions,
      act: async (_, words) => {
        const values = await completionValues(session.platform, words);
        const tree = await completionTree(session, values);
        tree.parse([...words]);
        return 0;
      },
    });
  },
};

/** All commands with their options and arguments, in the form of the completion library. */
async function completionTree(session: Session, values: CompletionValues): Promise<RootCommand> {
  const program = await session.program();
  const root = new RootCommand();
  addOptions(root, program, values);
  for (const command of program.createHelp().visibleCommands(program))
    add(root, command, { path: command.name(), values });
  return root;
}

function add(root: RootCommand, command: Command, { path, values }: { path: string; values: CompletionValues }): void {
  const shown = root.command(path, command.description());
  addOptions(shown, command, values);
  for (const argument of command.registeredArguments) {
    const about = argument.name() === 'name' ? (path.split(' ')[0] ?? '') : argument.name();
    const candidates = [...valuesFor(about, values), ...(argument.argChoices ?? []).map(plain)];
    shown.argument(argument.name(), offer(candidates), argument.variadic);
  }
  for (const inner of command.commands) add(root, inner, { path: `${path} ${inner.name()}`, values });
}

function addOptions(shown: TabCommand, command: Command, values: CompletionValues): void {
  for (const option of command.createHelp().visibleOptions(command)) {
    const name = option.long?.slice(2);
    const short = option.short?.slice(1);
    if (name === undefined) continue;
    if (takesValue(option)) {
      const candidates = [...valuesFor(name, values), ...(option.argChoices ?? []).map(plain)];
      shown.option(name, option.description, offer(candidates), short);
    } else if (short === undefined) shown.option(name, option.description);
    else shown.option(name, option.description, short);
  }
}

function takesValue(option: Option): boolean {
  return option.required || option.optional;
}

/** The candidates for an argument or option, by its name. */
function valuesFor(about: string, values: CompletionValues): Candidate[] {
  switch (about) {
    case 'run':
    case 'after':
      return values.runs;
    case 'task':
      return values.tasks;
    case 'template':
      return values.templates;
    case 'batch':
      return values.batches;
    case 'collection':
      return values.collections;
    case 'key':
      return describeConfig().map(({ key, description }) => ({ value: key, meaning: description }));
    default:
      return [];
  }
}

function plain(value: string): Candidate {
  return { value, meaning: '' };
}

function offer(candidates: readonly Candidate[]): (complete: Complete) => void {
  return (complete) => {
    for (const { value, meaning } of candidates) complete(value, oneLine(meaning));
  };
}
