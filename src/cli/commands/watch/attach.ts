import type { Caller } from '../../../access/caller.ts';
import { AppError } from '../../../errors.ts';
import { addDir, addHelp, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { startInBackground } from '../../follow/detach.ts';
import type { Platform } from '../../platform.ts';
import { parseTarget, resolveDir } from '../../target.ts';
import { attach } from '../../terminal/attach.ts';
import { findTerminal } from '../../terminal/attach-target.ts';

const EXAMPLES = ['manyhands attach', 'manyhands attach k3v9x2ab', 'manyhands attach k3v9x2ab implement/1.2'];

/** Puts this terminal in the place of an interactive agent's. */
export const attachCommand: CliCommand = {
  name: 'attach',
  group: 'Watch',
  summary: 'work with an interactive agent in its terminal',
  define(command, session) {
    command
      .argument('[run]', 'default: the latest run here')
      .argument('[task]', 'default: the one that works in a terminal')
      .addHelpText(
        'before',
        'Look at the terminal of an interactive agent and type into it. Ctrl-] or Ctrl-\\ detaches; the agent goes on.\n',
      );
    addHelp(addDir(command), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: CommonOptions,
      act: async (flags, args) => {
        const { platform } = session;
        const dir = await resolveDir(platform.terminal, flags.dir);
        if (!platform.terminal.isOutputTerminal)
          throw new AppError('USAGE', 'attach needs a terminal; manyhands logs -f shows the same as text');
        const { run: asked, task } = parseTarget(args);
        await using caller = await platform.openCaller(platform.terminal.env);
        const document = await caller.call('show-run', { dir, ...(asked === undefined ? {} : { run: asked }) });
        const target = {
          dir,
          run: document.run,
          task: task ?? (await findTerminal(caller, { dir, run: document.run })),
        };
        if (document.endedAt === null) await requireEngine(platform, caller, target);
        await attach(platform, caller, target);
        return 0;
      },
    });
  },
};

/** An agent may have outlived its engine; what is typed goes through one, so one is started in the background. */
async function requireEngine(
  platform: Platform,
  caller: Caller,
  { run, dir }: { run: string; dir: string },
): Promise<void> {
  if (caller.engine() !== 'none') return;
  await startInBackground(platform, ['resume', run, '--dir', dir, '--background'], { passInput: false });
}
