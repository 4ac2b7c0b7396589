import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { printJson } from '../../render/output.ts';
import { resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({ undo: z.boolean().default(false), note: z.string().optional() });

const EXAMPLES = [
  'manyhands flag k3v9x2ab --note "ask Ann about the prices"',
  'manyhands flag k3v --undo',
  'manyhands ls --flagged',
];

/** Flags a run for later attention. */
export const flagCommand: CliCommand = {
  name: 'flag',
  group: 'Maintenance',
  summary: 'flag a run for later attention',
  define(command, session) {
    command.argument('<run>', 'the run').option('--note <text>', 'the reason').option('--undo', 'remove the flag');
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ undo, note, json, ...flags }, [run = '']) => {
        if (undo && note !== undefined) throw new AppError('USAGE', '--note cannot be used with --undo');
        const { terminal, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        await using caller = await openCaller(terminal.env);
        const input = { dir, run, flagged: !undo, ...(note === undefined ? {} : { note }) };
        const filed = await caller.call('flag-run', input);
        if (json) printJson(terminal, filed);
        else if (filed.flag === null) terminal.err(`Run ${filed.run} is no longer flagged.\n`);
        else terminal.err(`Run ${filed.run} is flagged; manyhands ls --flagged lists it.\n`);
        return 0;
      },
    });
  },
};
