import type { Command } from 'commander';
import { z } from 'zod';
import type { SalvageItem } from '../../../operations/results/list-salvage.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import type { Session } from '../../platform.ts';
import { printJson, printLines, tableLines } from '../../render/output.ts';
import { resolveDir } from '../../target.ts';
import type { Terminal } from '../../terminal/terminal.ts';

const RestoreFlags = CommonOptions.extend({ branch: z.string().optional(), to: z.string().optional() });

const EXAMPLES = [
  'manyhands salvage',
  'manyhands salvage k3v9x2ab --json',
  'manyhands salvage restore refs/manyhands/attempts/k3v9x2ab-2-1/1 --branch rescued',
];
const RESTORE_EXAMPLES = [
  'manyhands salvage restore refs/manyhands/attempts/k3v9x2ab-2-1/1',
  'manyhands salvage restore refs/manyhands/attempts/k3v9x2ab-2-1/1 --branch rescued',
  'manyhands salvage restore refs/manyhands/attempts/k3v9x2ab-2-1/1 --to ~/other-clone',
];

const COLUMNS = [
  { title: 'RUN' },
  { title: 'TASK' },
  { title: 'ATTEMPT', right: true },
  { title: 'COMMIT' },
  { title: 'FILES', right: true },
  { title: 'LANDED' },
  { title: 'REF' },
];

/** Lists all saved work, and restores it to a branch. */
export const salvageCommand: CliCommand = {
  name: 'salvage',
  group: 'Maintenance',
  summary: 'list all saved work, and restore it to a branch',
  define(command, session) {
    command.argument('[run]', 'default: all runs of the project');
    addHelp(addDir(addJson(command.helpCommand(false))), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: CommonOptions,
      act: async (flags, [run]) => {
        const { terminal, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        await using caller = await openCaller(terminal.env);
        const items = await caller.call('list-salvage', { dir, ...(run === undefined ? {} : { run }) });
        if (flags.json) printJson(terminal, items);
        else if (items.length === 0) terminal.err('There is no saved work.\n');
        else printItems(terminal, items);
        return 0;
      },
    });
    defineRestore(command.command('restore'), session);
  },
};

function defineRestore(command: Command, session: Session): void {
  command
    .description('restore saved work to a branch of your repository')
    .argument('<ref>', 'a ref that manyhands salvage lists')
    .option('-b, --branch <name>', 'the branch to create')
    .option('--to <folder>', 'restore into this clone, if your repository was moved or deleted');
  addHelp(addDir(addJson(command)), RESTORE_EXAMPLES, READING_EXIT_CODES);
  whenCalled(command, session, {
    options: RestoreFlags,
    act: async ({ branch, to, json, ...flags }, [ref = '']) => {
      const { terminal, openCaller } = session.platform;
      const dir = await resolveDir(terminal, flags.dir);
      await using caller = await openCaller(terminal.env);
      const restored = await caller.call('restore-salvage', {
        dir,
        ref,
        ...(branch === undefined ? {} : { branch }),
        ...(to === undefined ? {} : { to: await resolveDir(terminal, to) }),
      });
      if (json) printJson(terminal, restored);
      else
        terminal.err(
          `Branch ${restored.branch} is at ${restored.commit.slice(0, 8)}. Show it: git log ${restored.branch}\n`,
        );
      return 0;
    },
  });
}

function printItems(terminal: Terminal, items: readonly SalvageItem[]): void {
  const rows = items.map(({ run, task, label, attempt, commit, files, landed, ref }) => [
    run,
    label ?? task,
    String(attempt),
    commit.slice(0, 8),
    String(files),
    landed ? 'yes' : 'no',
    ref,
  ]);
  // A shortened ref cannot be copied, so the table may be wider than the terminal.
  printLines(terminal, tableLines(COLUMNS, rows, Number.MAX_SAFE_INTEGER));
}
