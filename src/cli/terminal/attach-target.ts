import { z } from 'zod';
import type { Caller } from '../../access/caller.ts';
import { taskLabel } from '../../core/view/task-label.ts';
import { AppError } from '../../errors.ts';
import type { RunDocument, TaskDocument } from '../../schema/document.ts';
import type { Platform } from '../platform.ts';

const Spawned = z.object({ task: z.string(), process: z.object({ terminal: z.string() }) });
/** After these events no terminal opens until the user acts. */
const FINAL_EVENTS = new Set([
  'attempt.ended',
  'task.blocked',
  'task.ended',
  'run.held',
  'run.ended',
  'run.cancelling',
]);

/** The default task to attach to: the one that runs in a terminal now, else the run's only task. */
export async function findTerminal(caller: Caller, ref: { dir: string; run: string }): Promise<string> {
  const document = await caller.call('show-run', ref);
  const running = document.tasks.filter(({ status, terminal }) => status === 'running' && terminal);
  const [only, second] = running.length > 0 ? running : onlyTask(document);
  if (only !== undefined && second === undefined) return only.key;
  if (second !== undefined) {
    const keys = running.map(taskLabel).join(', ');
    throw new AppError('USAGE', `Several agents of run ${document.run} run in terminals; name one: ${keys}`);
  }
  const onHosts = document.tasks.filter(({ status, host }) => status === 'running' && host !== undefined);
  const why = onHosts.length === 0 ? '' : `: agents on hosts have none (${onHosts.map(placed).join(', ')})`;
  throw new AppError('TERMINAL_NONE', `No agent of run ${document.run} is running in a terminal${why}`, {
    run: document.run,
    task: onHosts[0]?.key,
  });
}

/** Waits for the first task of a run that runs in a terminal; undefined if none will, or if the user interrupts the wait. */
export async function waitForTerminal(platform: Platform, caller: Caller, run: string): Promise<string | undefined> {
  const stopped = new AbortController();
  const stopListening = platform.onSignal(() => stopped.abort());
  try {
    for await (const { type, data } of caller.stream('watch-run', { run }, { signal: stopped.signal })) {
      const spawned = type === 'attempt.spawned' ? Spawned.safeParse(data) : undefined;
      if (spawned?.success) return spawned.data.task;
      if (spawned !== undefined || FINAL_EVENTS.has(type)) return undefined;
    }
  } catch (error) {
    if (!stopped.signal.aborted) throw error;
  } finally {
    stopListening();
  }
  return undefined;
}

function placed(task: TaskDocument): string {
  return `${task.key} on ${task.host}`;
}

function onlyTask({ tasks }: RunDocument): TaskDocument[] {
  const withTerminal = tasks.filter(({ terminal }) => terminal);
  return withTerminal.length > 0 ? withTerminal.slice(-1) : tasks.length === 1 ? tasks : [];
}
