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

/** What the agents said and did, in the order in which it was read. */
export const logsCommand: CliCommand = {
  name: 'logs',
  aliases: ['log'],
  group: 'Watch',
  summary: 'what the agents said and did',
  define(command, session) {
    command.argument('[run]', 'default: the latest run here').argument('[task]', 'one task only');
    command
      .option('-f, --follow', 'go on until the run ends; with --json the document comes then')
      .option('--task <key>', 'one task only');
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
          for await (const line of caller.stream('read-logs', { dir, ...target, follow }, signal)) {
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

/** One document at the end needs an end: a run that nobody works on has none in sight. */
async function requireEnd(caller: Caller, dir: string, { run }: Target): Promise<void> {
  const document = await caller.call('show-run', { dir, ...(run === undefined ? {} : { run }) });
  if (document.endedAt !== null || caller.engine() !== 'none') return;
  throw new AppError(
    'USAGE',
    `Run ${document.run} is ${document.status} and nobody works on it: --follow --json would never print its document`,
    {
      run: document.run,
    },
  );
}
