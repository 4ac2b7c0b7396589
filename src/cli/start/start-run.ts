import type { Caller } from '../../access/caller.ts';
import { AppError } from '../../errors.ts';
import type { OperationInput } from '../../operations/contracts.ts';
import { todoOf } from '../../recipes/todo/todo-file.ts';
import { work } from '../follow/work.ts';
import type { Session } from '../platform.ts';
import { cleanText } from '../render/clean-text.ts';
import { shellWord } from '../render/shell-word.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readGoalText } from './goal-text.ts';
import { readRequestedWork } from './requested-work.ts';
import { type StartFlags, startOptions } from './start-options.ts';

type Request = OperationInput<'start-run'>;

/** What a command asks for: the words that were typed, and what they become. */
export type Start = {
  flags: StartFlags;
  words: readonly string[];
  request(text: string, options: Request['options']): Request;
  /** What else to say once the run stands, by who is the engine. */
  tell?(engine: ReturnType<Caller['engine']>): string[];
  /** Lets the person take part in the run before it is followed. */
  attend?(caller: Caller, run: string, dir: string): Promise<void>;
};

/** Starts a run and follows it; what its owner should know about it is said before anything else is shown. */
export async function startRun(session: Session, { flags, words, request, tell, attend }: Start): Promise<number> {
  const { terminal } = session.platform;
  const options = await startOptions(terminal, flags);
  return work(session, {
    ...flags,
    dir: options.dir,
    readsInput: words[0] === '-',
    ...(attend === undefined ? {} : { attend: (caller, run) => attend(caller, run, options.dir) }),
    begin: async (caller) => {
      const text = await readGoalText(terminal, words);
      for (const note of await workFileNote(terminal, words, options.dir)) terminal.err(`note: ${cleanText(note)}\n`);
      const { run, notes } = await caller.call('start-run', request(text, options));
      for (const note of notes) terminal.err(`note: ${cleanText(note)}\n`);
      for (const line of tell?.(caller.engine()) ?? []) terminal.err(`${line}\n`);
      return [run];
    },
  });
}

/** What to say when a goal is the text of a file that describes work by itself; a to-do list is a fine goal. */
async function workFileNote(terminal: Terminal, words: readonly string[], dir: string): Promise<string[]> {
  const given = words.join(' ');
  if (!given.startsWith('@')) return [];
  const file = given.slice(1);
  try {
    const { work } = await readRequestedWork(terminal, { given: file, dir });
    if (todoOf(work) !== undefined) return [];
    return [
      `${file} is a work file (${work.format}), and its text is taken as a goal here; manyhands run ${shellWord(file)} carries it out as what it is.`,
    ];
  } catch (error) {
    // What is no work file is a goal like any other.
    if (error instanceof AppError) return [];
    throw error;
  }
}
