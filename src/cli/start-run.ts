import type { Caller } from '../operations/caller.ts';
import type { OperationInput } from '../schema/operation.ts';
import { cleanText } from './clean-text.ts';
import { readGoalText } from './goal-text.ts';
import type { Session } from './platform.ts';
import { type StartFlags, startOptions } from './start-options.ts';
import { work } from './work.ts';
import { workFileNote } from './work-file-note.ts';

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
