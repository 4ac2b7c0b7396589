import { isInterrupted } from '../../../core/view/open-run.ts';
import { AppError } from '../../../errors.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { EXIT_CODES } from '../../exit-code.ts';
import { followRun } from '../../follow/follow-run.ts';
import { conclude, receiveResult, report } from '../../follow/work.ts';
import { resolveDir } from '../../target.ts';

const EXAMPLES = ['manyhands wait', 'manyhands wait k3v9x2ab', 'manyhands wait k3v --json'];

/** Follows a run until it is settled, with the exit code of the command that started it. */
export const waitCommand: CliCommand = {
  name: 'wait',
  group: 'Watch',
  summary: 'follow a run until it is settled',
  define(command, session) {
    command.argument('[run]', 'default: the latest run of the project');
    addHelp(addDir(addJson(command)), EXAMPLES, EXIT_CODES);
    whenCalled(command, session, {
      options: CommonOptions,
      act: async (flags, [named]) => {
        const { platform } = session;
        const dir = await resolveDir(platform.terminal, flags.dir);
        await using caller = await platform.openCaller(platform.terminal.env);
        const found = await caller.call('show-run', { dir, ...(named === undefined ? {} : { run: named }) });
        const { run } = found;
        if (isInterrupted(found)) {
          throw new AppError(
            'NEEDS_PERSON',
            `No engine is running run ${run}. Continue it with: manyhands resume ${run}`,
            {
              run,
            },
          );
        }
        const followed = await followRun({ platform, caller, dir, run, since: platform.world.now(), takesOver: false });
        const code = conclude(platform, run, followed);
        if (followed.kind === 'settled') await receiveResult(platform, caller, { dir, document: followed.document });
        report(platform, flags, followed.document === undefined ? [] : [followed.document]);
        return code;
      },
    });
  },
};
