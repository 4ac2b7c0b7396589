import { resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { momentText } from '../../../core/view/amounts.ts';
import { AppError, messageOf } from '../../../errors.ts';
import { type KnowledgeEntry, Learning } from '../../../schema/coordination/knowledge.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, collect, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { inProject } from '../../in-project.ts';
import type { Session } from '../../platform.ts';
import { cleanText, oneLine } from '../../render/clean-text.ts';
import { printJson, printLines, tableLines } from '../../render/output.ts';
import { readNamedFile } from '../../start/named-file.ts';

const EXAMPLES = [
  'manyhands kb ls',
  'manyhands kb search "flaky tests"',
  'manyhands kb edit --title "Ports" --text "Tests take port 0; a fixed port fails in parallel runs."',
  'manyhands kb export > knowledge.json',
];
const ENTRY = 'an entry that manyhands kb ls lists';
const COLUMNS = [{ title: 'ID' }, { title: 'STATUS' }, { title: 'SCOPE' }, { title: 'SINCE' }, { title: 'TITLE' }];

const EditOptions = CommonOptions.extend({
  title: z.string().optional(),
  text: z.string().optional(),
  tag: z.array(z.string()).optional(),
  everywhere: z.boolean().default(false),
});

/** Shows and changes what agents learned and people noted. */
export const kbCommand: CliCommand = {
  name: 'kb',
  group: 'Watch',
  summary: 'list, search and change what agents learned about the project',
  define(command, session) {
    addHelp(command.helpCommand(false), EXAMPLES, READING_EXIT_CODES);
    const list = command.command('ls').description('list all entries, the newest first');
    define(list, session, ['manyhands kb ls', 'manyhands kb ls --json'], async (flags) => {
      const entries = await inProject(session, flags, (caller, dir) => caller.call('list-knowledge', { dir }));
      print(session, flags.json, entries, () => listLines(entries));
    });
    const search = command.command('search').description('find entries that agents would get');
    search.argument('<words>', 'words, of a task for example');
    define(search, session, ['manyhands kb search "flaky tests"'], async (flags, [query = '']) => {
      const entries = await inProject(session, flags, (caller, dir) => caller.call('list-knowledge', { dir, query }));
      print(session, flags.json, entries, () => listLines(entries));
    });
    const show = command.command('show').description('print one entry').argument('<id>', ENTRY);
    define(show, session, ['manyhands kb show k3v9x2ab'], async (flags, [id = '']) => {
      const entries = await inProject(session, flags, (caller, dir) => caller.call('list-knowledge', { dir }));
      const found = entries.filter((entry) => entry.id.startsWith(id));
      const entry = found.find((each) => each.id === id || found.length === 1);
      if (entry === undefined)
        throw new AppError(
          'INPUT_INVALID',
          `${found.length === 0 ? 'No entry begins' : `${found.length} entries begin`} with ${id}; list them with manyhands kb ls`,
        );
      print(session, flags.json, entry, () => entryLines(entry));
    });
    const remove = command.command('rm').description('remove an entry').argument('<id>', ENTRY);
    define(remove, session, ['manyhands kb rm k3v9x2ab'], async (flags, [id = '']) => {
      const removed = await inProject(session, flags, (caller, dir) => caller.call('remove-knowledge', { dir, id }));
      print(session, flags.json, removed, () => [`${removed.id} is removed`]);
    });
    const compare = command.command('stats').description('compare attempts with and without each entry');
    define(compare, session, ['manyhands kb stats'], async (flags) => {
      const stats = await inProject(session, flags, (caller, dir) => caller.call('knowledge-stats', { dir }));
      const line = (name: string, { attempts, succeeded }: { attempts: number; succeeded: number }) =>
        `${succeeded} of ${attempts} attempts succeeded  ${name}`;
      const named = stats.entries.map((entry) => line(`${entry.id}  ${oneLine(entry.title)}`, entry));
      print(session, flags.json, stats, () => [...named, line('without any entry', stats.without)]);
    });
    const write = command.command('export').description('print the kept entries as JSON, for kb import');
    define(write, session, ['manyhands kb export > knowledge.json'], async (flags) => {
      const entries = await inProject(session, flags, (caller, dir) =>
        caller.call('list-knowledge', { dir, status: ['kept'] }),
      );
      printJson(
        session.platform.terminal,
        entries.map(({ title, text, tags }) => ({ title, text, tags })),
      );
    });
    defineImport(command.command('import'), session);
    defineEdit(command.command('edit'), session);
  },
};

type Act = (flags: CommonOptions, args: string[]) => Promise<void>;

function define(command: Command, session: Session, examples: readonly string[], act: Act): void {
  addHelp(addDir(addJson(command)), examples, READING_EXIT_CODES);
  whenCalled(command, session, {
    options: CommonOptions,
    act: async (flags, args) => {
      await act(flags, args);
      return 0;
    },
  });
}

function defineImport(command: Command, session: Session): void {
  command.description('add the entries of a file that kb export wrote').argument('<file>', 'the file');
  define(command, session, ['manyhands kb import knowledge.json'], async (flags, [file = '']) => {
    const learnings = z.array(Learning).safeParse(await readJson(resolve(session.platform.terminal.cwd, file)));
    if (!learnings.success)
      throw new AppError('INPUT_INVALID', `${file}: ${z.prettifyError(learnings.error)}`, { file });
    const known = await inProject(session, flags, (caller, dir) => caller.call('list-knowledge', { dir }));
    const isNew = ({ title, text }: Learning) => known.every((entry) => entry.title !== title || entry.text !== text);
    const added = learnings.data.filter(isNew);
    await inProject(session, flags, async (caller, dir) => {
      for (const learning of added) await caller.call('edit-knowledge', { dir, ...learning });
    });
    const result = { added: added.length, known: learnings.data.length - added.length };
    print(session, flags.json, result, () => [`${result.added} entries are added; ${result.known} were known`]);
  });
}

function defineEdit(command: Command, session: Session): void {
  command
    .description('change an entry, or add one without an id; also keeps a discarded or waiting one')
    .argument('[id]', `${ENTRY}; default: a new entry`)
    .option('--title <text>', 'what it is about, in one line')
    .option('--text <text>', 'the fact itself')
    .option('--tag <word>', 'a tag; repeatable', collect)
    .option('--everywhere', 'use it in all projects');
  addHelp(addDir(addJson(command)), EXAMPLES.slice(2, 3), READING_EXIT_CODES);
  whenCalled(command, session, {
    options: EditOptions,
    act: async ({ title, text, tag, everywhere, ...flags }, [id]) => {
      const changes = {
        ...(id === undefined ? {} : { id }),
        ...(title === undefined ? {} : { title }),
        ...(text === undefined ? {} : { text }),
        ...(tag === undefined ? {} : { tags: tag }),
        ...(everywhere ? { scope: 'everywhere' as const } : {}),
      };
      const entry = await inProject(session, flags, (caller, dir) =>
        caller.call('edit-knowledge', { dir, ...changes }),
      );
      print(session, flags.json, entry, () => entryLines(entry));
      return 0;
    },
  });
}

function print({ platform }: Session, json: boolean, value: unknown, lines: () => string[]): void {
  if (json) printJson(platform.terminal, value);
  else printLines(platform.terminal, lines());
}

function listLines(entries: readonly KnowledgeEntry[]): string[] {
  const rows = entries.map(({ id, status, scope, at, title }) => [id, status, scope, momentText(at), oneLine(title)]);
  return rows.length === 0 ? ['There are no entries.'] : tableLines(COLUMNS, rows, Number.MAX_SAFE_INTEGER);
}

function entryLines({ id, title, status, scope, reason, origin, tags, text }: KnowledgeEntry): string[] {
  const from =
    origin === null
      ? 'a person'
      : `${origin.attempt}${origin.commit === null ? '' : ` (${origin.commit.slice(0, 10)})`}`;
  const about = `${id}  ${status}${reason === null ? '' : ` (${reason})`}  ${scope}  from ${from}`;
  return [
    oneLine(title),
    oneLine(about),
    ...(tags.length === 0 ? [] : [oneLine(tags.join(', '))]),
    '',
    ...cleanText(text).split('\n'),
  ];
}

async function readJson(file: string): Promise<unknown> {
  const text = await readNamedFile(file);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError(
      'INPUT_INVALID',
      `The file ${file} is not JSON: ${messageOf(error)}`,
      { file },
      { cause: error },
    );
  }
}
