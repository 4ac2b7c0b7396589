import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Caller } from '../../access/caller.ts';
import { shellWord } from '../../core/view/shell-word.ts';
import { AppError } from '../../errors.ts';
import type { OperationInput } from '../../operations/all.ts';
import { todoOf } from '../../recipes/todo/todo-file.ts';
import { showStart } from '../follow/show-steps.ts';
import { work } from '../follow/work.ts';
import type { Session } from '../platform.ts';
import { cleanText } from '../render/clean-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readGoalText } from './goal-text.ts';
import { readRequestedWork } from './requested-work.ts';
import { type StartFlags, startOptions } from './start-options.ts';

type Request = OperationInput<'start-run'>;

const FILE_NAME = /^[^\s@-][^\s]*\.[A-Za-z]{2,5}$/;

/** A command that starts a run: its words, and the request they become. */
export type StartCommand = {
  flags: StartFlags;
  words: readonly string[];
  request(text: string, options: Request['options']): Request;
  /** What else to print once the run is started, depending on which process is the engine. */
  describe?(engine: ReturnType<Caller['engine']>): string[];
  /** Attaches the user to the run before it is followed. */
  attend?(caller: Caller, run: string, dir: string): Promise<void>;
  /** The arguments of this program in a window that shows the run. */
  window?(run: string): string[];
};

/** Starts a run and follows it; notes about it are printed first. */
export async function startRun(
  session: Session,
  { flags, words, request, describe, attend, window }: StartCommand,
): Promise<number> {
  const { terminal } = session.platform;
  const options = await startOptions(terminal, flags);
  return work(session, {
    ...flags,
    dir: options.dir,
    readsInput: words[0] === '-',
    ...(window === undefined ? {} : { window }),
    ...(attend === undefined ? {} : { attend: (caller, run) => attend(caller, run, options.dir) }),
    begin: async (caller) => {
      await refuseFileName(terminal, words, options.dir);
      const text = await readGoalText(terminal, words);
      for (const note of await workFileNote(terminal, words, options.dir)) terminal.err(`note: ${cleanText(note)}\n`);
      const { run, notes } = await showStart(session.platform, caller, {
        dir: options.dir,
        begin: () => caller.call('start-run', request(text, options)),
      });
      for (const note of notes) terminal.err(`note: ${cleanText(note)}\n`);
      for (const line of describe?.(caller.engine()) ?? []) terminal.err(`${line}\n`);
      return [run];
    },
  });
}

/** A file instead of a goal is refused with the command that was probably intended. */
async function refuseFileName(terminal: Terminal, words: readonly string[], dir: string): Promise<void> {
  const [file = '', ...more] = words;
  if (more.length > 0 || !FILE_NAME.test(file)) return;
  const found = await stat(resolve(terminal.cwd, file)).catch(() => undefined);
  if (found?.isFile() !== true) return;
  const format = await workFormat(terminal, file, dir);
  const name = shellWord(file);
  const use = format === undefined ? `To validate it: manyhands check ${name}` : `Run it with: manyhands run ${name}`;
  const what = format === undefined ? 'a file' : `a work file (${format})`;
  throw new AppError(
    'USAGE',
    `${file} is ${what}, not a goal. ${use}\nTo use its text as the goal: manyhands do @${name}`,
    { file },
  );
}

async function workFormat(terminal: Terminal, file: string, dir: string): Promise<string | undefined> {
  try {
    return (await readRequestedWork(terminal, { file, dir })).work.format;
  } catch (error) {
    // Any other file, or a work file with errors, which `check` reports.
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/** A note if the file that contains the goal is itself a work file; a to-do list is a valid goal. */
async function workFileNote(terminal: Terminal, words: readonly string[], dir: string): Promise<string[]> {
  const text = words.join(' ');
  if (!text.startsWith('@')) return [];
  const file = text.slice(1);
  try {
    const { work } = await readRequestedWork(terminal, { file, dir });
    if (todoOf(work) !== undefined) return [];
    return [
      `${file} is a work file (${work.format}), but here its text is used as the goal. To run the work file: manyhands run ${shellWord(file)}`,
    ];
  } catch (error) {
    // Any other file is an ordinary goal.
    if (error instanceof AppError) return [];
    throw error;
  }
}
