import { z } from 'zod';
import { momentText } from '../../../core/view/amounts.ts';
import type { WarningItem } from '../../../operations/runs/list-warnings.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { oneLine } from '../../render/clean-text.ts';
import { printJson, printLines, tableLines } from '../../render/output.ts';
import { parseTarget, resolveDir } from '../../target.ts';
import type { Terminal } from '../../terminal/terminal.ts';

const Flags = CommonOptions.extend({ dismiss: z.boolean().default(false) });

const EXAMPLES = [
  'manyhands warnings',
  'manyhands warnings k3v9x2ab --dismiss',
  'manyhands warnings k3v9x2ab implement/1.2 --dismiss',
  'manyhands warnings k3v --json',
];

const COLUMNS = [{ title: 'TASK' }, { title: 'ATTEMPT', right: true }, { title: 'SINCE' }, { title: 'WARNING' }];

/** Lists the warnings of a run, and dismisses them. */
export const warningsCommand: CliCommand = {
  name: 'warnings',
  group: 'Watch',
  summary: 'list and dismiss the warnings of a run',
  define(command, session) {
    command
      .argument('[run]', 'default: the latest run of the project')
      .argument('[task]', 'only this task')
      .option('--dismiss', 'dismiss these warnings; they stay on record');
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ dismiss, json, ...flags }, args) => {
        const { terminal, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        await using caller = await openCaller(terminal.env);
        const found = await caller.call('list-warnings', { dir, ...parseTarget(args) });
        if (dismiss)
          for (const { run, task, attempt, sign } of found)
            if (sign !== null) await caller.call('dismiss-warning', { run, task, attempt, sign });
        if (json) printJson(terminal, found);
        else printWarnings(terminal, found, dismiss);
        return 0;
      },
    });
  },
};

function printWarnings(terminal: Terminal, found: readonly WarningItem[], isDismissed: boolean): void {
  const rows = found.map(({ task, label, attempt, at, message }) => [
    oneLine(label ?? task),
    String(attempt),
    momentText(Date.parse(at)),
    oneLine(message),
  ]);
  if (found.length === 0) terminal.err('There are no warnings.\n');
  else printLines(terminal, tableLines(COLUMNS, rows, Number.MAX_SAFE_INTEGER));
  const dismissed = found.filter(({ sign }) => sign !== null).length;
  if (dismissed > 0 && isDismissed)
    terminal.err(`${dismissed} ${dismissed === 1 ? 'warning' : 'warnings'} dismissed.\n`);
  if (found.length > dismissed && isDismissed)
    terminal.err('Findings about what landed stay listed; manyhands verify shows whether they need a decision.\n');
}
