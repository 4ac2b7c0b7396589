import type { Caller } from '../../../access/caller.ts';
import { AppError } from '../../../errors.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { printJson } from '../../render/output.ts';
import { parseTarget, resolveDir, type Target } from '../../target.ts';

const EXAMPLES = ['manyhands preview', 'manyhands preview login', 'manyhands preview k3v9x2ab implement/1.2'];

/** Runs the application on the work of a task until it is interrupted. */
export const previewCommand: CliCommand = {
  name: 'preview',
  group: 'Watch',
  summary: 'run the application on the saved work of a task',
  define(command, session) {
    command
      .argument('[run]', 'a run, or a task of the latest run; default: the latest run of the project')
      .argument('[task]', 'default: the result of the run so far')
      .addHelpText(
        'before',
        'Start the application (verify.start) in a clean checkout on a port of its own; Ctrl-C ends it.\n',
      );
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: CommonOptions,
      act: async ({ json, ...flags }, args) => {
        const { terminal, onSignal, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        const interrupted = new AbortController();
        const stopListening = onSignal(() => interrupted.abort());
        const signal = AbortSignal.any([interrupted.signal, terminal.outputClosed]);
        await using caller = await openCaller(terminal.env);
        try {
          const target = await findTarget(caller, dir, args);
          for await (const preview of caller.stream('preview-task', { dir, ...target }, { signal })) {
            const { url, commit, run, task } = preview;
            const what = task === null ? `run ${run}` : `task ${task} of run ${run}`;
            if (json) printJson(terminal, preview);
            else terminal.out(`${url}\n`);
            terminal.err(`Preview of ${what} at ${commit.slice(0, 8)}; Ctrl-C ends it.\n`);
          }
        } catch (error) {
          if (!signal.aborted) throw error;
        } finally {
          stopListening();
        }
        return 0;
      },
    });
  },
};

/** A single operand that is no run names a task of the latest run. */
async function findTarget(caller: Caller, dir: string, args: readonly string[]): Promise<Target> {
  const target = parseTarget(args);
  if (target.run === undefined || target.task !== undefined) return target;
  try {
    await caller.call('show-run', { dir, run: target.run });
    return target;
  } catch (error) {
    if (error instanceof AppError && error.code === 'RUN_UNKNOWN') return { task: target.run };
    throw error;
  }
}
