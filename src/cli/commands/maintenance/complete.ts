import { type Complete, RootCommand, type Command as TabCommand } from '@bomb.sh/tab';
import type { Command, Option } from 'commander';
import { describeConfig } from '../../../config/describe.ts';
import { taskLabel } from '../../../core/view/task-label.ts';
import { TaskKey } from '../../../schema/ids.ts';
import { type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import type { Platform, Session } from '../../platform.ts';
import { oneLine } from '../../render/clean-text.ts';

/** A completion and its description. */
type Candidate = { value: string; meaning: string };

/** The completions that depend on the project: its runs, the tasks of the named or latest run, templates, batches and collections. */
type CompletionValues = {
  runs: Candidate[];
  tasks: Candidate[];
  templates: Candidate[];
  batches: Candidate[];
  collections: Candidate[];
};

const NO_VALUES: CompletionValues = { runs: [], tasks: [], templates: [], batches: [], collections: [] };

const MOST_RUNS = 50;

/** A name that a shell needs no quotes for. */
const ONE_WORD = /^[\p{L}\p{N}._-]+$/u;

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
        const values = await orDefault(() => completionValues(session.platform, words), NO_VALUES);
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

/** The completions of the current project; without a project there are none, because completion reports no errors. */
async function completionValues(
  { terminal, openCaller }: Platform,
  words: readonly string[],
): Promise<CompletionValues> {
  const dir = terminal.cwd;
  await using caller = await openCaller(terminal.env);
  const [templates, batches, collections, runs] = [
    await orDefault(async () => (await caller.call('list-templates', { dir })).templates, []),
    await orDefault(async () => (await caller.call('list-batches', { dir })).batches, []),
    await orDefault(() => caller.call('list-collections', { dir }), []),
    await orDefault(() => caller.call('list-runs', { dir, limit: MOST_RUNS }), []),
  ];
  const run = words.find((word) => runs.some((each) => each.run === word)) ?? runs[0]?.run;
  const shown =
    run === undefined ? [] : await orDefault(async () => (await caller.call('show-run', { dir, run })).tasks, []);
  return {
    runs: runs.map(({ run: value, status, title }) => ({ value, meaning: `${status}: ${title}` })),
    tasks: shown
      .map((task) => ({ value: taskLabel(task), meaning: task.title }))
      .filter(({ value }) => TaskKey.safeParse(value).success),
    templates: templates.map(({ name }) => ({ value: name, meaning: 'template' })),
    batches: batches.map(({ name }) => ({ value: name, meaning: 'batch' })),
    collections: collections
      .filter(({ name }) => ONE_WORD.test(name))
      .map(({ name, runs: count }) => ({ value: name, meaning: `${count} runs` })),
  };
}

async function orDefault<T>(load: () => Promise<T>, fallback: T): Promise<T> {
  try {
    return await load();
  } catch {
    // Safe: a completing shell cannot show an error, and suggestions are optional.
    return fallback;
  }
}
