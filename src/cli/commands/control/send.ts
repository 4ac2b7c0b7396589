import { type Caller, isElsewhere } from '../../../access/caller.ts';
import { namedTask, taskLabel } from '../../../core/view/task-label.ts';
import { AppError } from '../../../errors.ts';
import type { RunDocument } from '../../../schema/document.ts';
import { RunId, TaskKey } from '../../../schema/ids.ts';
import { addDir, addFollowing, addHelp, addJson, type CliCommand, FollowOptions, whenCalled } from '../../command.ts';
import { EXIT_CODES } from '../../exit-code.ts';
import { work } from '../../follow/work.ts';
import { printJson } from '../../render/output.ts';
import { readGoalText } from '../../start/goal-text.ts';
import { parseTarget, resolveDir } from '../../target.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** A word that can only be meant as the key of a task, such as `implement/1.2`. */
const TASK_LIKE = /^[a-z][a-z-]*\/\d+(\.\d+)*$/;

const WAITING: ReadonlySet<string> = new Set(['held', 'blocked']);

const EXAMPLES = [
  'manyhands send "Use the existing parser"',
  'manyhands send k3v9x2ab "Use the existing parser"',
  'manyhands send k3v9x2ab implement/1.2 "The second test is wrong: fix it too"',
  'manyhands send k3v9x2ab/implement/1.2 @review.md',
  'git diff | manyhands send k3v9x2ab -',
];

type Sent = { document: RunDocument; task: string };

/** Sends a message to the agent of a task; if no engine is running the run, this process becomes the engine. */
export const sendCommand: CliCommand = {
  name: 'send',
  group: 'Control',
  summary: 'send a message to the agent of a task',
  define(command, session) {
    command
      .argument(
        '<message...>',
        'the run or <run>/<task> (default: the latest run), the task unless only one is running, then the message: text, - for standard input, or @file',
      )
      .usage('[options] [run] [task] <message...>');
    addHelp(addDir(addJson(addFollowing(command))), EXAMPLES, EXIT_CODES);
    whenCalled(command, session, {
      options: FollowOptions,
      act: async (flags, args) => {
        const { terminal } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        return work(session, {
          ...flags,
          dir,
          readsInput: args.at(-1) === '-',
          begin: async (caller) => {
            const { document, task } = await send(caller, terminal, { dir, args });
            if (!isElsewhere(caller) || flags.detach) return [document.run];
            if (flags.json) printJson(terminal, document);
            else terminal.err(`Sent to ${task}. Follow its output: manyhands logs ${document.run} ${task} --follow\n`);
            return [];
          },
        });
      },
    });
  },
};

async function send(
  caller: Caller,
  terminal: Terminal,
  { dir, args }: { dir: string; args: readonly string[] },
): Promise<Sent> {
  const [first = '', ...others] = args;
  const isMessage = others.length === 0 || /\s/.test(first);
  if (isMessage) await requireMessage(caller, { dir, text: first });
  const target = isMessage ? {} : parseTarget([first]);
  const words = isMessage ? args : others;
  const run = target.run === undefined ? {} : { run: target.run };
  const shown = await caller.call('show-run', { dir, ...run });
  const { task, words: text } = target.task === undefined ? messageTarget(shown, words) : { task: target.task, words };
  const message = await readGoalText(terminal, text);
  const document = await caller.call('send-message', { dir, run: shown.run, task, message });
  return { document, task };
}

/** A single operand that names a run or a task of the latest one is a target without a message. */
async function requireMessage(caller: Caller, { dir, text }: { dir: string; text: string }): Promise<void> {
  const { run, task } = parseTarget([text]);
  if (!RunId.safeParse(run).success && !TaskKey.safeParse(task).success) return;
  const found = await caller.call('show-run', run === undefined ? { dir } : { dir, run }).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'RUN_UNKNOWN') return undefined;
    throw error;
  });
  const isTarget = found !== undefined && (task === undefined || found.tasks.some(({ key }) => key === task));
  if (isTarget) throw new AppError('USAGE', `The message is missing: manyhands send ${text} <message>`);
}

/** The task that a message is for, and the words of the message: the first word is the task if the run has one of that name and more words follow. */
export function messageTarget(document: RunDocument, words: readonly string[]): { task: string; words: string[] } {
  const [first, ...rest] = words;
  const named = first === undefined || rest.length === 0 ? undefined : taskNamed(document, first);
  if (named === undefined && rest.length > 0 && TASK_LIKE.test(first ?? '')) throw unknownTask(document, first ?? '');
  return named === undefined ? { task: onlyTask(document), words: [...words] } : { task: named, words: rest };
}

function unknownTask({ run, tasks }: RunDocument, task: string): AppError {
  const known = tasks.slice(0, 8).map(taskLabel);
  const list = known.length === 0 ? 'it has no tasks yet' : `it has ${known.join(', ')}`;
  return new AppError('TASK_UNKNOWN', `Run ${run} has no task ${task}; ${list}`, { run, task });
}

function taskNamed({ tasks }: RunDocument, word: string): string | undefined {
  const partly = tasks.filter(({ key }) => key.endsWith(`/${word}`));
  return namedTask(tasks, word) ?? (partly.length === 1 ? partly[0]?.key : undefined);
}

/** The only running task, else the only one that waits for the user, else the only one of the run. */
function onlyTask({ run, tasks }: RunDocument): string {
  const running = tasks.filter(({ status }) => status === 'running');
  const waiting = tasks.filter(({ status }) => WAITING.has(status));
  const [candidates = tasks] = [running, waiting].filter(({ length }) => length > 0);
  const [only, second] = candidates;
  if (only !== undefined && second === undefined) return only.key;
  if (only === undefined)
    throw new AppError('REFUSED', `Run ${run} has no task yet, so no agent can receive the message`, { run });
  const keys = candidates.slice(0, 8).map(taskLabel);
  throw new AppError(
    'USAGE',
    `Several tasks could receive the message (${keys.join(', ')}). Name one: manyhands send ${run} <task> <message>`,
    {
      run,
    },
  );
}
