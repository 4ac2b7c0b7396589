import { z } from 'zod';
import type { Caller } from '../../../access/caller.ts';
import { AppError } from '../../../errors.ts';
import { addDir, addHelp, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { resolveDir } from '../../target.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { type Shown, showTop } from '../../top/show-top.ts';
import { folderName } from '../../top/view.ts';

const Flags = CommonOptions.extend({ all: z.boolean().default(false) });
type Flags = z.infer<typeof Flags>;

const EXAMPLES = ['manyhands top', 'manyhands top --all', 'manyhands top -C ../shop'];

/** Shows runs, tasks and output live on the whole terminal, with keys to control them. */
export const topCommand: CliCommand = {
  name: 'top',
  group: 'Watch',
  summary: 'full-screen view: follow and control all runs',
  define(command, session) {
    command
      .option('--all', 'runs of all projects')
      .addHelpText('before', 'See and control all runs from the keyboard: ? lists the keys, q quits.\n');
    addHelp(addDir(command), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async (flags) => {
        const { platform } = session;
        const { terminal } = platform;
        if (!terminal.isOutputTerminal || terminal.env.TERM === 'dumb')
          throw new AppError(
            'USAGE',
            'top needs a terminal. As text: manyhands ls, manyhands show; for programs: manyhands show --json',
          );
        await using caller = await platform.openCaller(terminal.env);
        try {
          await showTop(platform, caller, await shownOf(caller, terminal, flags));
        } finally {
          await caller.leave();
        }
        return 0;
      },
    });
  },
};

/** All projects with --all, and in a folder that belongs to no project. */
async function shownOf(caller: Caller, terminal: Terminal, { all, dir: requestedDir }: Flags): Promise<Shown> {
  if (all) return { dir: undefined, scope: null };
  const dir = await resolveDir(terminal, requestedDir);
  try {
    const [latest] = await caller.call('list-runs', { dir, limit: 1, hidden: true });
    return { dir, scope: folderName(latest?.project ?? dir) };
  } catch (error) {
    if (requestedDir !== undefined || !(error instanceof AppError) || error.code !== 'NOT_A_REPOSITORY') throw error;
    return { dir: undefined, scope: null };
  }
}
