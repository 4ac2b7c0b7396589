import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import type { Session } from '../../platform.ts';
import { printJson } from '../../render/output.ts';
import { resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({
  all: z.boolean().default(false),
  reason: z.string().optional(),
  force: z.boolean().default(false),
});
type Flags = z.output<typeof Flags>;

const EXAMPLES = [
  'manyhands cancel',
  'manyhands cancel k3v9x2ab',
  'manyhands cancel k3v --reason "wrong branch"',
  'manyhands cancel k3v --force',
  'manyhands cancel --all',
];

/** Cancels a run; its work is kept. */
export const cancelCommand: CliCommand = {
  name: 'cancel',
  group: 'Control',
  summary: 'cancel a run; its work is kept',
  define(command, session) {
    command
      .argument('[run]', 'default: the latest run of the project')
      .option('--all', 'stop everything: all unfinished runs and batches of all projects')
      .option('--reason <text>', 'the reason, for the record')
      .option('--force', 'kill its agents immediately; their work is still saved');
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async (given, [run]) => {
        const { terminal, openCaller } = session.platform;
        const { reason, force, json, ...flags } = given;
        if (flags.all) return stopEverything(session, given, run);
        const dir = await resolveDir(terminal, flags.dir);
        await using caller = await openCaller(terminal.env);
        const input = {
          dir,
          force,
          ...(run === undefined ? {} : { run }),
          ...(reason === undefined ? {} : { reason }),
        };
        const document = await caller.call('cancel-run', input);
        if (json) printJson(terminal, document);
        else
          terminal.err(
            `Run ${document.run} is ${document.status}. List its saved work: manyhands salvage ${document.run}\n`,
          );
        return 0;
      },
    });
  },
};

async function stopEverything(session: Session, { reason, force, json }: Flags, run?: string): Promise<number> {
  if (run !== undefined) throw new AppError('USAGE', 'Use either a run or --all');
  const { terminal, openCaller } = session.platform;
  await using caller = await openCaller(terminal.env);
  const { runs, batches, refused } = await caller.call('cancel-all', {
    force,
    ...(reason === undefined ? {} : { reason }),
  });
  if (json) printJson(terminal, { runs, batches, refused });
  else {
    const ended = runs.length === 1 ? '1 run is cancelled' : `${runs.length} runs are cancelled`;
    const left = batches.length === 0 ? '' : ` Ended batches: ${batches.join(', ')}.`;
    terminal.err(`${ended}.${left} All work is kept: manyhands salvage\n`);
    for (const each of refused) terminal.err(`Run ${each.run} could not be cancelled: ${each.reason}\n`);
  }
  return refused.length === 0 ? 0 : 1;
}
