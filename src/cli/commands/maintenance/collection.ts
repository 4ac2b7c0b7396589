import type { Command } from 'commander';
import { dayText, moneyText } from '../../../core/view/amounts.ts';
import type { CollectionDocument } from '../../../schema/collection.ts';
import { type Act, addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { inProject } from '../../in-project.ts';
import type { Session } from '../../platform.ts';
import { cleanText } from '../../render/clean-text.ts';
import { printJson, printLines, tableLines } from '../../render/output.ts';
import { runTable } from '../../render/run-table.ts';

const EXAMPLES = {
  ls: ['manyhands collection ls', 'manyhands collection ls --json'],
  show: ['manyhands collection show nightly'],
  add: ['manyhands collection add nightly', 'manyhands collection add nightly k3v9x2ab p4rc7d2m'],
  rename: ['manyhands collection rename nightly weekly'],
  rm: ['manyhands collection rm weekly', 'manyhands collection rm nightly k3v9x2ab'],
};

/** The maximum number of runs that `show` lists. */
const MOST_SHOWN = 1000;

const COLUMNS = [
  { title: 'COLLECTION', most: 40 },
  { title: 'RUNS', right: true },
  { title: 'OPEN', right: true },
  { title: 'FAILED', right: true },
  { title: 'COST', right: true },
  { title: 'CREATED' },
];

/** Groups runs in named collections. */
export const collectionCommand: CliCommand = {
  name: 'collection',
  group: 'Maintenance',
  summary: 'group runs in collections',
  define(command, session) {
    addHelp(command.helpCommand(false), Object.values(EXAMPLES).flat().slice(0, 5), READING_EXIT_CODES);
    const define = (
      name: keyof typeof EXAMPLES,
      summary: string,
      act: (session: Session) => Act<typeof CommonOptions>,
    ) => {
      const inner: Command = command.command(name).description(summary);
      if (name !== 'ls') inner.argument('<name>', 'the collection');
      addHelp(addDir(addJson(inner)), EXAMPLES[name], READING_EXIT_CODES);
      whenCalled(inner, session, { options: CommonOptions, act: act(session) });
      return inner;
    };
    define('ls', 'list the collections of the project', list);
    define('show', 'list the runs in a collection', show);
    define('add', 'create a collection, or add runs to one', add).argument('[run...]', 'the runs to add');
    define('rename', 'rename a collection', rename).argument('<to>', 'its new name');
    define('rm', 'remove a collection, or runs from it; the runs themselves are kept', remove).argument(
      '[run...]',
      'remove only these runs from the collection',
    );
  },
};

function list(session: Session): Act<typeof CommonOptions> {
  const { terminal } = session.platform;
  return async (flags) => {
    const collections = await inProject(session, flags, (caller, dir) => caller.call('list-collections', { dir }));
    if (flags.json) printJson(terminal, collections);
    else if (collections.length === 0)
      terminal.err('The project has no collections. Create one: manyhands collection add <name>\n');
    else printLines(terminal, tableLines(COLUMNS, collections.map(row), Number.MAX_SAFE_INTEGER));
    return 0;
  };
}

function show(session: Session): Act<typeof CommonOptions> {
  const { terminal, world } = session.platform;
  return async (flags, [collection = '']) => {
    const runs = await inProject(session, flags, (caller, dir) =>
      caller.call('list-runs', { dir, collection, hidden: true, limit: MOST_SHOWN }),
    );
    if (flags.json) printJson(terminal, runs);
    else if (runs.length === 0) terminal.err(`The collection "${cleanText(collection)}" is empty.\n`);
    else printLines(terminal, runTable(terminal, runs, { now: world.now(), collections: false, projects: false }));
    return 0;
  };
}

function add(session: Session): Act<typeof CommonOptions> {
  return async (flags, [name = '', ...runs]) =>
    report(
      session,
      flags,
      await inProject(session, flags, (caller, dir) => caller.call('add-collection', { dir, name, runs })),
    );
}

function rename(session: Session): Act<typeof CommonOptions> {
  return async (flags, [name = '', to = '']) =>
    report(
      session,
      flags,
      await inProject(session, flags, (caller, dir) => caller.call('rename-collection', { dir, name, to })),
    );
}

function remove(session: Session): Act<typeof CommonOptions> {
  const { terminal } = session.platform;
  return async (flags, [name = '', ...runs]) => {
    const result = await inProject(session, flags, (caller, dir) =>
      caller.call('remove-collection', { dir, name, runs }),
    );
    if (flags.json) printJson(terminal, result);
    else if (!result.removed) terminal.err(`Removed from "${cleanText(name)}": ${result.runs.join(', ')}\n`);
    else
      terminal.err(`The collection "${cleanText(name)}" is removed; its ${countText(result.runs.length)} are kept.\n`);
    return 0;
  };
}

function row({ name, runs, open, failed, cost, createdAt }: CollectionDocument): string[] {
  return [cleanText(name), String(runs), String(open), String(failed), moneyText(cost), dayText(createdAt)];
}

function report({ platform }: Session, { json }: CommonOptions, collection: CollectionDocument): number {
  const { terminal } = platform;
  if (json) printJson(terminal, collection);
  else terminal.err(`The collection "${cleanText(collection.name)}" has ${countText(collection.runs)}.\n`);
  return 0;
}

function countText(runs: number): string {
  return `${runs} ${runs === 1 ? 'run' : 'runs'}`;
}
