import type { Command } from 'commander';
import type { CollectionDocument } from '../../../schema/collection.ts';
import { type Act, addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { inProject } from '../../in-project.ts';
import type { Session } from '../../platform.ts';
import { moneyText } from '../../render/amounts.ts';
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

/** The runs of a collection that are shown at once. */
const MOST_SHOWN = 1000;

const COLUMNS = [
  { title: 'COLLECTION', most: 40 },
  { title: 'RUNS', right: true },
  { title: 'OPEN', right: true },
  { title: 'FAILED', right: true },
  { title: 'COST', right: true },
  { title: 'MADE' },
];

/** Files runs in collections: named groups, and nothing more. */
export const collectionCommand: CliCommand = {
  name: 'collection',
  group: 'Maintenance',
  summary: 'file runs in collections',
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
    define('ls', 'list the collections of this project', list);
    define('show', 'list the runs in a collection', show);
    define('add', 'make a collection, or put runs into one', add).argument('[run...]', 'runs to put into it');
    define('rename', 'give a collection another name', rename).argument('<to>', 'its new name');
    define('rm', 'remove a collection; its runs stay', remove).argument('[run...]', 'only take these runs out of it');
  },
};

function list(session: Session): Act<typeof CommonOptions> {
  const { terminal } = session.platform;
  return async (flags) => {
    const collections = await inProject(session, flags, (caller, dir) => caller.call('list-collections', { dir }));
    if (flags.json) printJson(terminal, collections);
    else if (collections.length === 0) terminal.err('No collections here. Make one: manyhands collection add <name>\n');
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
    else if (runs.length === 0) terminal.err(`There are no runs in "${cleanText(collection)}".\n`);
    else printLines(terminal, runTable(terminal, runs, { now: world.now(), collections: false, projects: false }));
    return 0;
  };
}

function add(session: Session): Act<typeof CommonOptions> {
  return async (flags, [name = '', ...runs]) =>
    tell(
      session,
      flags,
      await inProject(session, flags, (caller, dir) => caller.call('add-collection', { dir, name, runs })),
    );
}

function rename(session: Session): Act<typeof CommonOptions> {
  return async (flags, [name = '', to = '']) =>
    tell(
      session,
      flags,
      await inProject(session, flags, (caller, dir) => caller.call('rename-collection', { dir, name, to })),
    );
}

function remove(session: Session): Act<typeof CommonOptions> {
  const { terminal } = session.platform;
  return async (flags, [name = '', ...runs]) => {
    const gone = await inProject(session, flags, (caller, dir) =>
      caller.call('remove-collection', { dir, name, runs }),
    );
    if (flags.json) printJson(terminal, gone);
    else if (!gone.removed) terminal.err(`Taken out of "${cleanText(name)}": ${gone.runs.join(', ')}\n`);
    else
      terminal.err(
        `The collection "${cleanText(name)}" is gone; what was in it stays (${countText(gone.runs.length)}).\n`,
      );
    return 0;
  };
}

function row({ name, runs, open, failed, cost, createdAt }: CollectionDocument): string[] {
  return [cleanText(name), String(runs), String(open), String(failed), moneyText(cost), createdAt.slice(0, 10)];
}

function tell({ platform }: Session, { json }: CommonOptions, collection: CollectionDocument): number {
  const { terminal } = platform;
  if (json) printJson(terminal, collection);
  else terminal.err(`The collection "${cleanText(collection.name)}" has ${countText(collection.runs)}.\n`);
  return 0;
}

function countText(runs: number): string {
  return `${runs} ${runs === 1 ? 'run' : 'runs'}`;
}
