import { z } from 'zod';
import { dayText } from '../../../core/view/amounts.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { bytesText, parseDays } from '../../render/amounts.ts';
import { printJson, printLines, tableLines } from '../../render/output.ts';
import { resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({
  all: z.boolean().default(false),
  apply: z.boolean().default(false),
  olderThan: z.number().default(7),
});

const EXAMPLES = ['manyhands clean', 'manyhands clean --older-than 30d --apply', 'manyhands clean --all --json'];
const COLUMNS = [{ title: 'WHAT' }, { title: 'SIZE', right: true }, { title: 'REASON' }, { title: 'PATH' }];

/** Lists what can be removed, and removes it with --apply; only what is saved elsewhere. */
export const cleanCommand: CliCommand = {
  name: 'clean',
  group: 'Maintenance',
  summary: 'remove files that are saved and no longer needed',
  define(command, session) {
    command
      .option('--all', 'files of all projects')
      .option(
        '--older-than <days>',
        'only files of runs that ended at least this long ago, such as 30d or 30',
        parseDays,
        7,
      )
      .option('--apply', 'remove it; without it nothing is removed');
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ all, apply, olderThan, json, ...flags }) => {
        const { terminal, openCaller } = session.platform;
        const project = all ? {} : { dir: await resolveDir(terminal, flags.dir) };
        await using caller = await openCaller(terminal.env);
        const found = await caller.call('clean', { ...project, olderThanDays: olderThan, apply });
        if (json) {
          printJson(terminal, found);
          return 0;
        }
        const rows = found.items.map(({ what, path, bytes, reason }) => [what, bytesText(bytes), reason, path]);
        if (rows.length > 0) printLines(terminal, tableLines(COLUMNS, rows, Number.MAX_SAFE_INTEGER));
        const kept = found.kept.map(({ what, path, bytes, reason, until }) => [
          what,
          bytesText(bytes),
          until === null ? reason : `${reason}; until ${dayText(until)}`,
          path,
        ]);
        if (kept.length > 0) {
          const total = found.kept.reduce((sum, { bytes }) => sum + bytes, 0);
          printLines(terminal, [
            ...(rows.length > 0 ? [''] : []),
            `Kept, ${bytesText(total)}:`,
            ...tableLines(COLUMNS, kept, Number.MAX_SAFE_INTEGER),
          ]);
        }
        terminal.err(`${conclusion(rows.length, found, `${all ? '--all ' : ''}--older-than ${olderThan}`)}\n`);
        return 0;
      },
    });
  },
};

function conclusion(count: number, { bytes, applied }: { bytes: number; applied: boolean }, flags: string): string {
  if (count === 0) return 'There is nothing to remove.';
  const items = count === 1 ? 'item' : 'items';
  if (applied) return `Removed ${count} ${items}, ${bytesText(bytes)}. The work in them is saved: manyhands salvage`;
  return `${count} ${items} can be removed, ${bytesText(bytes)}. Nothing was removed. To remove them: manyhands clean ${flags} --apply`;
}
