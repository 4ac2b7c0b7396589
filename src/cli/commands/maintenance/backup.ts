import { z } from 'zod';
import { addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { bytesText, wholeNumber } from '../../render/amounts.ts';
import { printJson } from '../../render/output.ts';

const Flags = CommonOptions.extend({ keep: z.number().default(5) });

const EXAMPLES = ['manyhands backup', 'manyhands backup --keep 30'];

/** Copies the database to a file and verifies the copy, also while runs are in flight. */
export const backupCommand: CliCommand = {
  name: 'backup',
  group: 'Maintenance',
  summary: 'copy the database to a verified file',
  define(command, session) {
    command.option('--keep <n>', 'how many backups to keep; older backups are removed', wholeNumber(1, 1000), 5);
    addHelp(addJson(command), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ keep, json }) => {
        const { terminal, openCaller } = session.platform;
        await using caller = await openCaller(terminal.env);
        const backup = await caller.call('backup', { keep });
        if (json) printJson(terminal, backup);
        else terminal.out(`${backup.file}\n`);
        const old =
          backup.removed.length === 0
            ? ''
            : `; ${backup.removed.length} older ${backup.removed.length === 1 ? 'backup' : 'backups'} removed`;
        if (!json) terminal.err(`${bytesText(backup.bytes)}, verified${old}\n`);
        return 0;
      },
    });
  },
};
