import type { Command } from 'commander';
import { z } from 'zod';
import type { BulkStatus, ItemStatus } from '../../../recipes/item-status.ts';
import { addDir, addHelp, addJson, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import type { Session } from '../../platform.ts';
import { oneLine } from '../../render/clean-text.ts';
import { printJson, printLines, tableLines } from '../../render/output.ts';
import { type Painter, painter } from '../../render/symbols.ts';
import { addFailedOut, writeFailedItems } from '../../start/failed-items.ts';
import { resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({ failedOut: z.string().optional() });

const ORDER: readonly ItemStatus[] = ['done', 'running', 'waiting', 'failed', 'stuck', 'cancelled'];
const MOST_ROWS = 20;
const COLUMNS = [{ title: '' }, { title: '', most: 30 }, { title: '' }, { title: '' }];

/** Adds the command that shows the status of the items of a run. */
export function addStatus(parent: Command, session: Session): void {
  const command = parent
    .command('status')
    .description('show how many items have which status, and which failed and why');
  command.argument('[run]', 'default: the latest bulk run of the project');
  addFailedOut(addDir(addJson(command)));
  const examples = ['manyhands bulk status', 'manyhands bulk status k3v --failed-out failed_items.jsonl'];
  addHelp(command, examples, READING_EXIT_CODES);
  whenCalled(command, session, {
    options: Flags,
    act: async (flags, [run]) => {
      const { terminal, openCaller } = session.platform;
      const dir = await resolveDir(terminal, flags.dir);
      await using caller = await openCaller(terminal.env);
      const status = await caller.call('bulk-status', { dir, ...(run === undefined ? {} : { run }) });
      if (flags.json) printJson(terminal, status);
      else
        printLines(terminal, lines(status, { columns: terminal.size().columns, colors: painter(terminal.colors.out) }));
      if (flags.failedOut !== undefined) await writeFailedItems(session, status, flags.failedOut);
      return 0;
    },
  });
}

function lines(status: BulkStatus, { columns, colors }: { columns: number; colors: Painter }): string[] {
  const { run, total, counts, failed, uncovered } = status;
  const parts = ORDER.filter((name) => counts[name] > 0).map((name) => `${counts[name]} ${name}`);
  const rows = failed
    .slice(0, MOST_ROWS)
    .map(({ item, task, status: itemStatus, reason }) => [task, item.id, itemStatus, oneLine(reason)]);
  return [
    `${colors.bold(oneLine(status.title))}  ${run}  ${status.status}: ${parts.join(', ')} of ${total}`,
    ...(rows.length === 0 ? [] : ['', colors.bold('Not done')]),
    ...tableLines(COLUMNS, rows, columns - 2).map((line) => `  ${line}`),
    ...more(failed.length),
    ...(uncovered.length === 0 ? [] : ['', colors.bold('Files not done')]),
    ...uncovered.slice(0, MOST_ROWS).map((file) => `  ${oneLine(file)}`),
    ...more(uncovered.length),
    ...(failed.length === 0 ? [] : ['', `Retry them: manyhands bulk retry ${run}`]),
  ];
}

function more(count: number): string[] {
  return count > MOST_ROWS ? [`  and ${count - MOST_ROWS} more; --json shows all`] : [];
}
