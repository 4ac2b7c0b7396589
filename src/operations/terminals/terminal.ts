import type { HeldTerminal, Ports, ShownTerminal } from '../../app/port-interfaces.ts';
import { type AttemptState, lastAttempt, type RunState, type TaskState } from '../../core/run/state.ts';
import { isSettled } from '../../core/view/document.ts';
import { AppError } from '../../errors.ts';
import { attemptId } from '../../schema/ids.ts';
import type { TerminalItem } from '../contracts/terminal-contracts.ts';
import { completeKey, findRun, requireTask } from '../find-run.ts';
import type { Operation, StreamOperation } from '../operation.ts';

type Asked = { dir?: string | undefined; run?: string | undefined; task: string };

/** Shows the terminal of an attempt, waits for it where it is about to begin, and says when it has ended. */
export const watchTerminal: StreamOperation<'watch-terminal'> = async function* (ports, input, signal) {
  const held = await untilHeld(ports, input, signal);
  for await (const piece of ports.terminals.watch(held, input.after, signal)) yield [itemOf(piece)];
  if (!signal.aborted) yield [{ ended: true }];
};

/** Types into the terminal of an attempt. */
export const typeTerminal: Operation<'type-terminal'> = async (ports, input) => {
  await ports.terminals.type(await requireHeld(ports, input), Buffer.from(input.data, 'base64'));
  return {};
};

/** Gives the terminal of an attempt another size; the last one who asks is obeyed. */
export const resizeTerminal: Operation<'resize-terminal'> = async (ports, input) => {
  const { columns, rows } = input;
  await ports.terminals.resize(await requireHeld(ports, input), { columns, rows });
  return {};
};

function itemOf({ offset, data, reset, size }: ShownTerminal): TerminalItem {
  return { offset, data: data.toString('base64'), ...(reset === undefined ? {} : { reset }), ...size };
}

/** An attempt that is to have a terminal has none yet before it starts. */
async function untilHeld(ports: Ports, input: Asked, signal: AbortSignal): Promise<HeldTerminal> {
  const { start } = await findRun(ports, input);
  for (;;) {
    const heard = ports.runs.news(start.run, signal);
    const { state, task } = taskIn(ports, start.run, input.task);
    const held = heldIn(state, task);
    if (held !== undefined) return held;
    if (!isComing(task) || isSettled(state) || !ports.runs.isLive) throw noTerminal(state, task);
    await heard;
    signal.throwIfAborted();
  }
}

async function requireHeld(ports: Ports, input: Asked): Promise<HeldTerminal> {
  const { start } = await findRun(ports, input);
  const { state, task } = taskIn(ports, start.run, input.task);
  const held = heldIn(state, task);
  if (held === undefined) throw noTerminal(state, task);
  return held;
}

function taskIn(ports: Ports, run: string, asked: string): { state: RunState; task: TaskState } {
  const state = ports.runs.state(run);
  return { state, task: requireTask(state, completeKey(state, asked)) };
}

/** The terminal of the attempt under way, else of the last one that had one. */
function heldIn({ start }: RunState, task: TaskState): HeldTerminal | undefined {
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

function noTerminal({ start }: RunState, { spec }: TaskState): AppError {
  const message = `Task ${spec.key} of run ${start.run} has no terminal: its agent works without one`;
  return new AppError('TERMINAL_NONE', message, { run: start.run, task: spec.key });
}
