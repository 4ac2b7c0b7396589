import { type Caller, isElsewhere } from '../../../access/caller.ts';
import { isInterrupted } from '../../../core/view/open-run.ts';
import { AppError } from '../../../errors.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { EXIT_CODES } from '../../exit-code.ts';
import { followRun } from '../../follow/follow-run.ts';
import { conclude, receiveResult, report } from '../../follow/work.ts';
import type { Platform } from '../../platform.ts';
import { resolveDir } from '../../target.ts';

const EXAMPLES = ['manyhands wait', 'manyhands wait k3v9x2ab', 'manyhands wait k3v --json'];

/** How long an engine that has just started may take to resume its runs. */
const RESUMING_MS = 10_000;

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
        if (isInterrupted(found) && !(await isResumedSoon(platform, caller, run))) {
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

/** Whether an engine in another process resumes the run, as a server does with all of them when it starts. */
async function isResumedSoon({ world }: Platform, caller: Caller, run: string): Promise<boolean> {
  if (!isElsewhere(caller)) return false;
  const late = new AbortController();
  const cancel = world.alarm(world.now() + RESUMING_MS, () => late.abort());
  try {
    for await (const item of caller.stream('watch-runs', { run }, { signal: late.signal }))
      if ('run' in item && !isInterrupted(item.run)) return true;
    return false;
  } catch (error) {
    if (late.signal.aborted) return false;
    throw error;
  } finally {
    cancel();
  }
}
