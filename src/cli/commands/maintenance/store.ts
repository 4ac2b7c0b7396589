import type { Command } from 'commander';
import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import { onThisMachine } from '../../../home.ts';
import { addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import type { Session } from '../../platform.ts';
import { printJson } from '../../render/output.ts';

const Flags = CommonOptions.extend({ to: z.string().optional() });

const EXAMPLES = [
  'manyhands store move --to postgresql://manyhands@db:5432/manyhands',
  'manyhands store move --to embedded',
];

/** Where the events and transcripts are. */
export const storeCommand: CliCommand = {
  name: 'store',
  group: 'Maintenance',
  summary: 'move the database to PostgreSQL, or back',
  define(command, session) {
    addHelp(command.helpCommand(false), EXAMPLES, READING_EXIT_CODES);
    defineMove(command.command('move'), session);
  },
};

function defineMove(command: Command, session: Session): void {
  command
    .description('move everything to a PostgreSQL database, or back to a file in the data directory')
    .option('--to <target>', 'the URL of an empty PostgreSQL database, or: embedded');
  addHelp(addJson(command), EXAMPLES, READING_EXIT_CODES);
  whenCalled(command, session, {
    options: Flags,
    act: async ({ to, json }) => {
      const { terminal, openCaller } = session.platform;
      if (to === undefined) throw new AppError('USAGE', 'Say where to: --to <url>, or --to embedded');
      await using caller = await openCaller(onThisMachine(terminal.env));
      const moved = await caller.call('move-store', { to });
      if (json) printJson(terminal, moved);
      else
        terminal.out(
          `Moved ${moved.runs} ${moved.runs === 1 ? 'run' : 'runs'}: ${moved.events} events, ${moved.transcriptRows} rows of transcripts, ${moved.texts} texts; all compared\n`,
        );
      if (json) return 0;
      const next =
        moved.kept === null
          ? 'Unset MANYHANDS_DATABASE_URL. The PostgreSQL database keeps its data, but no server accepts it any more.'
          : `Set MANYHANDS_DATABASE_URL to this database from now on. The old file is kept as ${moved.kept}`;
      terminal.err(`${next}\n`);
      return 0;
    },
  });
}
