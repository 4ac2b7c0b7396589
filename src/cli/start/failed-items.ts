import { resolve } from 'node:path';
import type { Command } from 'commander';
import { writeWhole } from '../../config/write.ts';
import { bulkText } from '../../recipes/bulk/bulk-text.ts';
import type { BulkStatus } from '../../recipes/item-status.ts';
import type { Session } from '../platform.ts';
import { resolveDir } from '../target.ts';

/** Adds the option that names a file for the failed items. */
export function addFailedOut(command: Command): Command {
  return command.option('--failed-out <file>', 'write the failed items to a file that bulk run accepts');
}

/** Writes the items of a run that are not done to the named file, if one was named; the file is empty if there are none. */
export async function writeFailed(
  session: Session,
  { run, dir, failedOut }: { run: string; dir: string | undefined; failedOut: string | undefined },
): Promise<void> {
  if (failedOut === undefined) return;
  const { terminal, openCaller } = session.platform;
  const folder = await resolveDir(terminal, dir);
  await using caller = await openCaller(terminal.env);
  await writeFailedItems(session, await caller.call('bulk-status', { dir: folder, run }), failedOut);
}

/** Writes the items that are not done according to a status. */
export async function writeFailedItems({ platform }: Session, status: BulkStatus, file: string): Promise<void> {
  const { terminal } = platform;
  const path = resolve(terminal.cwd, file);
  await writeWhole(path, bulkText(status.failed.map(({ item }) => item)));
  const count = status.failed.length;
  terminal.err(`Wrote ${count} failed ${count === 1 ? 'item' : 'items'} to ${path}\n`);
}
