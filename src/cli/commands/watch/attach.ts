import type { Caller } from '../../../access/caller.ts';
import { AppError } from '../../../errors.ts';
import { addDir, addHelp, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { startInBackground } from '../../follow/detach.ts';
import type { Platform } from '../../platform.ts';
import { parseTarget, resolveDir } from '../../target.ts';
import { findTerminal } from '../../terminal/attach-target.ts';
import { attach } from '../../terminal/attach-terminal.ts';

const EXAMPLES = ['manyhands attach', 'manyhands attach k3v9x2ab', 'manyhands attach k3v9x2ab implement/1.2'];

/** Connects this terminal to the terminal of an interactive agent. */
export const attachCommand: CliCommand = {
  name: 'attach',
  group: 'Watch',
  summary: 'open the terminal of an interactive agent',
  define(command, session) {
    command
      .argument('[run]', 'default: the latest run of the project')
      .argument('[task]', 'default: the task that runs in a terminal')
      .addHelpText(
        'before',
        'See the terminal of an interactive agent and type into it. Ctrl-] or Ctrl-\\ detaches; the agent continues.\n',
      );
    addHelp(addDir(command), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: CommonOptions,
      act: async (flags, args) => {
        const { platform } = session;
        const dir = await resolveDir(platform.terminal, flags.dir);
        if (!platform.terminal.isOutputTerminal)
          throw new AppError('USAGE', 'attach needs a terminal; to read the output as text: manyhands logs -f');
        const { run, task } = parseTarget(args);
        await using caller = await platform.openCaller(platform.terminal.env);
        const document = await caller.call('show-run', { dir, ...(run === undefined ? {} : { run }) });
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

/** An agent may outlive its engine; input needs an engine, so one is started in the background. */
async function requireEngine(
  platform: Platform,
  caller: Caller,
  { run, dir }: { run: string; dir: string },
): Promise<void> {
  if (caller.engine() !== 'none') return;
  await startInBackground(platform, ['resume', run, '--dir', dir, '--background'], { passInput: false });
}
