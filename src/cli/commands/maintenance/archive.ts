import { resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { dayText } from '../../../core/view/amounts.ts';
import { AppError } from '../../../errors.ts';
import { RunId } from '../../../schema/ids.ts';
import type { ArchiveResult } from '../../../schema/keeping.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import type { Session } from '../../platform.ts';
import { bytesText, parseDays } from '../../render/amounts.ts';
import { oneLine } from '../../render/clean-text.ts';
import { printJson, printLines, tableLines } from '../../render/output.ts';
import { resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({
  all: z.boolean().default(false),
  apply: z.boolean().default(false),
  remove: z.boolean().default(false),
  olderThan: z.number().default(30),
});

const EXAMPLES = [
  'manyhands archive',
  'manyhands archive --older-than 90d --apply',
  'manyhands archive --all --apply --remove',
  'manyhands archive restore k3v9x2ab',
];
const RESTORE_EXAMPLES = ['manyhands archive restore k3v9x2ab', 'manyhands archive restore ./k3v9x2ab-42.tar.gz'];
const COLUMNS = [
  { title: 'RUN' },
  { title: 'ENDED' },
  { title: 'SIZE', right: true },
  { title: 'TITLE', most: 40 },
  { title: 'STATUS' },
];

/** The exit code where a run stays in the database although it was to be removed. */
const NOT_REMOVED = 3;

/** Moves old ended runs into tar archives, and back. */
export const archiveCommand: CliCommand = {
  name: 'archive',
  group: 'Maintenance',
  summary: 'move old ended runs into archive files',
  define(command, session) {
    command
      .option('--all', 'runs of all projects')
      .option('--older-than <days>', 'only runs that ended at least this long ago, such as 90d or 90', parseDays, 30)
      .option('--apply', 'write the archives; without it nothing is written')
      .option(
        '--remove',
        'with --apply: remove each run from the database after its archive has been verified, with its workspaces (saved first) and raw output',
      );
    addHelp(addDir(addJson(command.helpCommand(false))), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ all, apply, remove, olderThan, json, ...flags }) => {
        const { terminal, openCaller } = session.platform;
        if (remove && !apply) throw new AppError('USAGE', '--remove requires --apply');
        const project = all ? {} : { dir: await resolveDir(terminal, flags.dir) };
        await using caller = await openCaller(terminal.env);
        const found = await caller.call('archive', { ...project, olderThanDays: olderThan, apply, remove });
        if (json) printJson(terminal, found);
        else {
          if (found.items.length > 0)
            printLines(terminal, tableLines(COLUMNS, found.items.map(rowOf), terminal.size().columns));
          terminal.err(`${conclusion(found)}\n`);
        }
        return remove && found.items.some(({ removed }) => !removed) ? NOT_REMOVED : 0;
      },
    });
    defineRestore(command.command('restore'), session);
  },
};

function defineRestore(command: Command, session: Session): void {
  command
    .description('restore an archived run into the database')
    .argument('<archive>', 'a run id, or the file of its archive');
  addHelp(addJson(command), RESTORE_EXAMPLES, READING_EXIT_CODES);
  whenCalled(command, session, {
    options: CommonOptions,
    act: async ({ json }, [name = '']) => {
      const { terminal, openCaller } = session.platform;
      const archive = RunId.safeParse(name).success ? name : resolve(terminal.cwd, name);
      await using caller = await openCaller(terminal.env);
      const restored = await caller.call('restore-archive', { archive });
      if (json) printJson(terminal, restored);
      else terminal.err(`Run ${restored.run} is restored. Show it: manyhands show ${restored.run}\n`);
      return 0;
    },
  });
}

function rowOf({ run, endedAt, bytes, title, reason }: ArchiveResult['items'][number]): string[] {
  return [run, dayText(endedAt), bytes === null ? '' : bytesText(bytes), oneLine(title), reason];
}

function conclusion({ items, applied }: ArchiveResult): string {
  if (items.length === 0) return 'No run ended that long ago.';
  const runs = `${items.length} ${items.length === 1 ? 'run' : 'runs'}`;
  if (!applied)
    return `${runs} can be archived. Nothing was written; add --apply to archive ${items.length === 1 ? 'it' : 'them'}.`;
  return `${runs} archived, ${items.filter(({ removed }) => removed).length} removed from the database.`;
}
