import { z } from 'zod';
import type { Caller } from '../../access/caller.ts';
import { AppError } from '../../errors.ts';
import type { RunDocument, TaskDocument } from '../../schema/document.ts';
import type { Platform } from '../platform.ts';

const Spawned = z.object({ task: z.string(), process: z.object({ terminal: z.string() }) });
/** After these the terminal that was waited for does not come before a person has done something. */
const GIVEN_UP = new Set(['attempt.ended', 'task.blocked', 'task.ended', 'run.held', 'run.ended', 'run.cancelling']);

/** The task whose terminal is meant where none is named: the one that works in a terminal now, else the run's only task. */
export async function findTerminal(caller: Caller, ref: { dir: string; run: string }): Promise<string> {
  const document = await caller.call('show-run', ref);
  const running = document.tasks.filter(({ status, terminal }) => status === 'running' && terminal);
  const [only, second] = running.length > 0 ? running : onlyTask(document);
  if (only !== undefined && second === undefined) return only.key;
  if (second !== undefined) {
    const keys = running.map(({ key }) => key).join(', ');
    throw new AppError('USAGE', `Several agents of run ${document.run} work in terminals; name one: ${keys}`);
  }
  throw new AppError('TERMINAL_NONE', `No agent of run ${document.run} works in a terminal now`, { run: document.run });
}

/** The first task of a run that works in a terminal, once it does; none when it comes to something else, or the person does not wait. */
export async function untilTerminal(platform: Platform, caller: Caller, run: string): Promise<string | undefined> {
  const stopped = new AbortController();
  const stopListening = platform.onSignal(() => stopped.abort());
  try {
    for await (const { type, data } of caller.stream('watch-run', { run }, stopped.signal)) {
      const spawned = type === 'attempt.spawned' ? Spawned.safeParse(data) : undefined;
      if (spawned?.success) return spawned.data.task;
      if (spawned !== undefined || GIVEN_UP.has(type)) return undefined;
    }
  } catch (error) {
    if (!stopped.signal.aborted) throw error;
  } finally {
    stopListening();
  }
  return undefined;
}

function onlyTask({ tasks }: RunDocument): TaskDocument[] {
  const had = tasks.filter(({ terminal }) => terminal);
  return had.length > 0 ? had.slice(-1) : tasks.length === 1 ? tasks : [];
}
