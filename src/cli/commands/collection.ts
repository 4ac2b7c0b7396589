import type { Command } from 'commander';
import type { CollectionDocument } from '../../schema/collection.ts';
import { moneyText } from '../amounts.ts';
import { cleanText } from '../clean-text.ts';
import { type Act, addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../command.ts';
import { READING_EXIT_CODES } from '../exit-code.ts';
import { printJson, printLines, tableLines } from '../output.ts';
import type { Session } from '../platform.ts';
import { runTable } from '../run-table.ts';
import { resolveDir } from '../target.ts';

const EXAMPLES = [
  'manyhands collection ls',
  'manyhands collection add nightly k3v9x2ab',
  'manyhands collection rename nightly weekly',
  'manyhands collection rm weekly',
];

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

/** Files runs in collections: named groups that hold no more than the order of things. */
export const collectionCommand: CliCommand = {
  define(command, session) {
    addHelp(command, EXAMPLES, READING_EXIT_CODES);
    const ls = command.command('ls').description('list the collections of this project');
    bind(session, ls, { examples: ['manyhands collection ls --json'], act: (flags) => list(session, flags) });
    const show = command.command('show').description('list the runs in a collection').argument('<name>', 'it');
    bind(session, show, { examples: ['manyhands collection show nightly'], act: (flags, [name = '']) => showOne(session, flags, name) });
    const add = command.command('add').description('make a collection, or put runs into one').argument('<name>', 'it');
    add.argument('[run...]', 'runs to put into it, out of where they are');
    bind(session, add, { examples: [EXAMPLES[1] ?? ''], act: (flags, [name = '', ...runs]) => addTo(session, flags, { name, runs }) });
    const rename = command.command('rename').description('give a collection another name');
    rename.argument('<name>', 'it').argument('<to>', 'its new name');
    bind(session, rename, { examples: [EXAMPLES[2] ?? ''], act: (flags, [name = '', to = '']) => renameOne(session, flags, { name, to }) });
    const rm = command.command('rm').description('remove a collection, or take runs out of one; the runs stay');
    rm.argument('<name>', 'it').argument('[run...]', 'runs to take out of it');
    bind(session, rm, { examples: [EXAMPLES[3] ?? ''], act: (flags, [name = '', ...runs]) => remove(session, flags, { name, runs }) });
  },
};

type Bound = { examples: readonly string[]; act: Act<typeof CommonOptions> };

function bind(session: Session, command: Command, { examples, act }: Bound): void {
  addHelp(addDir(addJson(command)), examples, READING_EXIT_CODES);
  whenCalled(command, session, { options: CommonOptions, act });
}

async function list({ platform }: Session, flags: CommonOptions): Promise<number> {
  const { terminal, openCaller } = platform;
  const dir = await resolveDir(terminal, flags.dir);
  await using caller = await openCaller(terminal.env);
  const collections = await caller.call('list-collections', { dir });
  if (flags.json) printJson(terminal, collections);
  else if (collections.length === 0) terminal.err('No collections here yet. Make one: manyhands collection add <name>\n');
  else printLines(terminal, tableLines(COLUMNS, collections.map(row), Number.MAX_SAFE_INTEGER));
  return 0;
}

function row({ name, runs, open, failed, cost, createdAt }: CollectionDocument): string[] {
  return [cleanText(name), String(runs), String(open), String(failed), moneyText(cost), createdAt.slice(0, 10)];
}

async function showOne({ platform }: Session, flags: CommonOptions, collection: string): Promise<number> {
  const { terminal, world, openCaller } = platform;
  const dir = await resolveDir(terminal, flags.dir);
  await using caller = await openCaller(terminal.env);
  const runs = await caller.call('list-runs', { dir, collection, hidden: true, limit: MOST_SHOWN });
  if (flags.json) printJson(terminal, runs);
  else if (runs.length === 0) terminal.err(`There are no runs in "${cleanText(collection)}".\n`);
  else printLines(terminal, runTable(terminal, runs, { now: world.now(), collections: false, projects: false }));
  return 0;
}

async function addTo(session: Session, flags: CommonOptions, asked: { name: string; runs: string[] }): Promise<number> {
  const { terminal, openCaller } = session.platform;
  const dir = await resolveDir(terminal, flags.dir);
  await using caller = await openCaller(terminal.env);
  tell(session, flags, await caller.call('add-collection', { dir, ...asked }));
  return 0;
}

async function renameOne(session: Session, flags: CommonOptions, asked: { name: string; to: string }): Promise<number> {
  const { terminal, openCaller } = session.platform;
  const dir = await resolveDir(terminal, flags.dir);
  await using caller = await openCaller(terminal.env);
  tell(session, flags, await caller.call('rename-collection', { dir, ...asked }));
  return 0;
}

async function remove({ platform }: Session, flags: CommonOptions, asked: { name: string; runs: string[] }): Promise<number> {
  const { terminal, openCaller } = platform;
  const dir = await resolveDir(terminal, flags.dir);
  await using caller = await openCaller(terminal.env);
  const { name, removed, runs } = await caller.call('remove-collection', { dir, ...asked });
  if (flags.json) printJson(terminal, { name, removed, runs });
  else if (removed) terminal.err(`The collection "${cleanText(name)}" is gone; its ${countText(runs.length)} stay.\n`);
  else terminal.err(`${countText(runs.length)} taken out of "${cleanText(name)}".\n`);
  return 0;
}

function tell({ platform }: Session, { json }: CommonOptions, collection: CollectionDocument): void {
  const { terminal } = platform;
  if (json) printJson(terminal, collection);
  else terminal.err(`The collection "${cleanText(collection.name)}" has ${countText(collection.runs)}.\n`);
}

function countText(runs: number): string {
  return `${runs} ${runs === 1 ? 'run' : 'runs'}`;
}
