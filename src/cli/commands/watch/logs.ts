import { z } from 'zod';
import type { Caller } from '../../../access/caller.ts';
import { timeText } from '../../../core/view/amounts.ts';
import { namedTask, taskLabel } from '../../../core/view/task-label.ts';
import { AppError } from '../../../errors.ts';
import type { LogLine, RunDocument } from '../../../schema/document.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { INTERRUPTED, READING_EXIT_CODES } from '../../exit-code.ts';
import { cleanText } from '../../render/clean-text.ts';
import { printJson, printLines } from '../../render/output.ts';
import { failedCheckSection } from '../../render/summary.ts';
import { type Painter, painter } from '../../render/symbols.ts';
import { parseTarget, resolveDir, type Target } from '../../target.ts';

type Tag = 'INIT' | 'MESSAGE' | 'NOTE' | 'TOOL' | 'RESULT' | 'TEXT' | 'SETUP' | 'COMPLETE' | 'ERROR';

const TAGS: Record<string, Tag> = {
  session: 'INIT',
  start: 'INIT',
  started: 'INIT',
  engine: 'INIT',
  message: 'MESSAGE',
  note: 'NOTE',
  'tool-call': 'TOOL',
  'file-change': 'TOOL',
  'tool-result': 'RESULT',
  setup: 'SETUP',
  'setup-failed': 'ERROR',
  result: 'COMPLETE',
  end: 'COMPLETE',
  ended: 'COMPLETE',
  error: 'ERROR',
  failure: 'ERROR',
  stderr: 'ERROR',
  truncated: 'ERROR',
  'permission-denied': 'ERROR',
};

const Flags = CommonOptions.extend({ follow: z.boolean().default(false), task: z.string().optional() });

const EXAMPLES = ['manyhands logs', 'manyhands logs -f', 'manyhands logs k3v9x2ab --task implement/1.2 --json'];

/** The output of the agents, in the order in which it was recorded, then that of the checks that failed. */
export const logsCommand: CliCommand = {
  name: 'logs',
  aliases: ['log'],
  group: 'Watch',
  summary: 'show the output of the agents and of failed checks',
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
        else printLines(terminal, await failedCheckLines(caller, { dir, target, colors }));
        return 0;
      },
    });
  },
};

/** The output of checks that did not pass, which no agent printed, and how to continue by hand. */
async function failedCheckLines(
  caller: Caller,
  { dir, target: { run, task }, colors }: { dir: string; target: Target; colors: Painter },
): Promise<string[]> {
  const document = await caller.call('show-run', { dir, ...(run === undefined ? {} : { run }) });
  const key = task === undefined ? undefined : completeTask(document, task);
  const resumable = document.tasks.filter((each) => key === undefined || each.key === key);
  return [
    ...failedCheckSection(document, { colors, ...(key === undefined ? {} : { task: key }) }),
    ...resumable.flatMap((each) =>
      each.resumeCommand === undefined
        ? []
        : [`${colors.dim(`Resume ${taskLabel(each)} by hand:`)} ${each.resumeCommand}`],
    ),
  ];
}

/** The key of the task that the user named by its key, its name or a part of the key. */
function completeTask({ tasks }: RunDocument, text: string): string {
  const partly = tasks.find(({ key }) => key.endsWith(`/${text}`) || key.startsWith(text));
  return namedTask(tasks, text) ?? partly?.key ?? text;
}

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

/** A transcript line as printed lines: time, task, attempt, tag and text; each line of a longer text has the same prefix. */
export function logLines(line: LogLine, colors: Painter): string[] {
  const tag = TAGS[line.kind] ?? 'TEXT';
  const attempt = line.attempt > 1 ? `#${line.attempt}` : '';
  const about = line.task === '' ? 'run' : taskLabel({ key: line.task, name: line.name });
  const head = `${colors.dim(timeText(Date.parse(line.at)))} ${colors.bold(`${about}${attempt}`)} ${paintTag(tag, colors)}`;
  return cleanText(line.text)
    .trimEnd()
    .split('\n')
    .map((text) => `${head} ${text}`.trimEnd());
}

function paintTag(tag: Tag, colors: Painter): string {
  const text = `[${tag}]`;
  switch (tag) {
    case 'INIT':
    case 'SETUP':
      return colors.blue(text);
    case 'MESSAGE':
    case 'NOTE':
      return colors.yellow(text);
    case 'TOOL':
      return colors.cyan(text);
    case 'RESULT':
      return colors.dim(text);
    case 'TEXT':
      return text;
    case 'COMPLETE':
      return colors.green(text);
    case 'ERROR':
      return colors.red(text);
  }
}
