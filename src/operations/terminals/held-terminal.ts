import type { HeldTerminal } from '../../access/attempt-terminals.ts';
import type { App } from '../../app.ts';
import { type AttemptState, lastAttempt, type RunState, type TaskState } from '../../core/run/state.ts';
import { isSettled } from '../../core/view/document.ts';
import { AppError } from '../../errors.ts';
import { attemptId } from '../../schema/ids.ts';
import { completeKey, findRun, type Ref, requireTask } from '../find-run.ts';

type TaskOfRun = Ref & { task: string };

/** The terminal of the task's running attempt, otherwise of its last attempt with a terminal. */
export async function requireTerminal(app: App, ref: TaskOfRun): Promise<HeldTerminal> {
  const { start } = await findRun(app, ref);
  const { state, task } = taskIn(app, start.run, ref.task);
  const held = terminalIn(state, task);
  if (held === undefined) throw noTerminal(state, task);
  return held;
}

/** The same, but waits for an attempt whose terminal has not started yet. */
export async function waitForTerminal(app: App, ref: TaskOfRun, signal: AbortSignal): Promise<HeldTerminal> {
  const { start } = await findRun(app, ref);
  for (;;) {
    const changed = app.runs.changed(start.run, signal);
    const { state, task } = taskIn(app, start.run, ref.task);
    const held = terminalIn(state, task);
    if (held !== undefined) return held;
    if (!isComing(task) || isSettled(state) || !app.runs.isLive) throw noTerminal(state, task);
    await changed;
    signal.throwIfAborted();
  }
}

function taskIn(app: App, run: string, named: string): { state: RunState; task: TaskState } {
  const state = app.runs.state(run);
  return { state, task: requireTask(state, completeKey(state, named)) };
}

function terminalIn({ start }: RunState, task: TaskState): HeldTerminal | undefined {
  const last = lastAttempt(task);
  const attempt = last?.ended === null ? last : task.attempts.findLast((each) => each.process?.terminal !== undefined);
  return attempt === undefined ? undefined : terminalOf(start.run, task, attempt);
}

function terminalOf(run: string, task: TaskState, { number, process }: AttemptState): HeldTerminal | undefined {
  if (process?.terminal === undefined) return undefined;
  return { attempt: attemptId(run, task.ordinal, number), kind: process.terminal, process: process.identity };
}

function isComing(task: TaskState): boolean {
  const isStarting = task.spec.interactive === true || lastAttempt(task)?.process === null;
  return isStarting && ['waiting', 'ready', 'running'].includes(task.phase.status);
}

function noTerminal({ start }: RunState, task: TaskState): AppError {
  const { spec } = task;
  const host = lastAttempt(task)?.host;
  const why =
    host === undefined ? 'its agent works without one' : `its agent works on the host ${host}, where agents get none`;
  const message = `Task ${spec.key} of run ${start.run} has no terminal: ${why}`;
  return new AppError('TERMINAL_NONE', message, { run: start.run, task: spec.key });
}
