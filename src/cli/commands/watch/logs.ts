import { z } from 'zod';
import type { Caller } from '../../../access/caller.ts';
import { AppError } from '../../../errors.ts';
import type { LogLine } from '../../../schema/document.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { INTERRUPTED, READING_EXIT_CODES } from '../../exit-code.ts';
import { logLines } from '../../render/log-line.ts';
import { printJson, printLines } from '../../render/output.ts';
import { painter } from '../../render/symbols.ts';
import { parseTarget, resolveDir, type Target } from '../../target.ts';

const Flags = CommonOptions.extend({ follow: z.boolean().default(false), task: z.string().optional() });

const EXAMPLES = ['manyhands logs', 'manyhands logs -f', 'manyhands logs k3v9x2ab --task implement/1.2 --json'];

/** The output of the agents, in the order in which it was recorded. */
export const logsCommand: CliCommand = {
  name: 'logs',
  aliases: ['log'],
  group: 'Watch',
  summary: 'show the output of the agents',
  define(command, session) {
    command.argument('[run]', 'default: the latest run of the project').argument('[task]', 'only this task');
    command
      .option('-f, --follow', 'follow until the run ends; with --json the document is printed at the end')
      .option('--task <key>', 'only this task');
    addHelp(addDir(addJson(command)), EXAMPLES, `${READING_EXIT_CODES}\n  130  interrupted`);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ follow, json, task, ...flags }, args) => {
        const { terminal, onSignal, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        const target: Target = { ...parseTarget(args), ...(task === undefined ? {} : { task }) };
        await using caller = await openCaller(terminal.env);
        if (json && follow) await requireEnd(caller, dir, target);
        const interrupted = new AbortController();
        const stopListening = onSignal(() => interrupted.abort());
        const signal = AbortSignal.any([interrupted.signal, terminal.outputClosed]);
        const colors = painter(terminal.colors.out);
        const all: LogLine[] = [];
        try {
          for await (const line of caller.stream('read-logs', { dir, ...target, follow }, { signal })) {
            if (json) all.push(line);
            else printLines(terminal, logLines(line, colors));
          }
        } catch (error) {
          if (!signal.aborted) throw error;
        } finally {
          stopListening();
        }
        if (interrupted.signal.aborted) return INTERRUPTED;
        if (json) printJson(terminal, all);
        return 0;
      },
    });
  },
};

/** One document at the end requires an end: a run that no engine is running does not end. */
async function requireEnd(caller: Caller, dir: string, { run }: Target): Promise<void> {
  const document = await caller.call('show-run', { dir, ...(run === undefined ? {} : { run }) });
  if (document.endedAt !== null || caller.engine() !== 'none') return;
  throw new AppError(
    'USAGE',
    `Run ${document.run} is ${document.status} and no engine is running it, so --follow --json would never end`,
    {
      run: document.run,
    },
  );
}
