import { AppError } from '../../errors.ts';
import type { RunEvent } from '../../schema/event.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { ReviewComment } from '../../schema/message.ts';
import { retryTasks } from '../run/decide-run.ts';
import { isAuxiliary } from '../run/reopening.ts';
import { requireTask } from '../run/require.ts';
import { type AttemptState, lastAttempt, type RunState, type TaskState } from '../run/state.ts';
import {
  affordable,
  chargeOf,
  continuedReservation,
  reservationFor,
  roundMoney,
  runMoney,
} from '../schedule/budget.ts';
import { moneyText } from '../view/amounts.ts';
import { labelOf, taskLabel } from '../view/task-label.ts';

export type SendMessage = { task: TaskKey; message: string; comments: readonly ReviewComment[]; now: number };

/** Sends a message to the agent of a task: a running attempt is interrupted and continued, an ended task is reopened, a waiting one gets it with its first prompt. */
export function sendMessage(state: RunState, command: SendMessage): RunEvent[] {
  const task = requireTask(state, command.task);
  requireText(command);
  requireReceiver(state, task);
  requireBudget(state, task);
  switch (task.phase.status) {
    case 'waiting':
    case 'ready':
    case 'analyzing':
    case 'running':
      return [messaged(task, command, false)];
    case 'held':
    case 'blocked':
      return [messaged(task, command, true), retrying(command)];
    case 'done':
    case 'failed':
    case 'skipped':
    case 'cancelled':
      return [...reopened(state, task), messaged(task, command, true)];
    case 'landing':
    case 'verifying':
    case 'conflicted':
      throw new AppError(
        'REFUSED',
        `Task ${taskLabel(task.spec)} is ${task.phase.status}: its work is landing; send the message after that has ended`,
        { key: command.task },
      );
  }
}

function messaged({ spec, messages }: TaskState, command: SendMessage, goesOn: boolean): RunEvent {
  const { message, comments } = command;
  const id = `m${messages.length + 1}`;
  return { type: 'task.messaged', data: { task: spec.key, id, message, comments: [...comments], goesOn } };
}

function retrying({ task, now }: SendMessage): RunEvent {
  return { type: 'task.retrying', data: { task, at: now, counted: false, resume: true, evidence: '' } };
}

function reopened(state: RunState, { spec }: TaskState): RunEvent[] {
  return retryTasks(state, { task: spec.key, reason: 'a person sent a message' });
}

function requireText({ message, comments }: SendMessage): void {
  if (message.trim() !== '' || comments.length > 0) return;
  throw new AppError('INPUT_INVALID', 'The message is empty');
}

function requireReceiver(state: RunState, task: TaskState): void {
  const { run } = state.start;
  const { status } = state;
  if (status.kind === 'cancelling')
    throw new AppError('REFUSED', `Run ${run} is being cancelled and receives no messages`, { run });
  if (status.kind === 'ended' && status.status === 'cancelled')
    throw new AppError('REFUSED', `Run ${run} was cancelled; manyhands retry ${run} reopens it`, { run });
  const served = task.spec.resolves ?? task.spec.analyzes ?? task.spec.verifies;
  if (isAuxiliary(task) && isOver(task))
    throw new AppError(
      'REFUSED',
      `Task ${taskLabel(task.spec)} has ended and served ${labelOf(state, served ?? '')}; send the message there`,
      {
        key: task.spec.key,
      },
    );
}

/** A message needs another attempt: the running one is not interrupted when there is no budget for it. */
function requireBudget(state: RunState, task: TaskState): void {
  const { run, config } = state.start;
  const { runAttempts } = config.limits;
  if (state.attempts >= runAttempts)
    throw new AppError('REFUSED', `Run ${run} has used its ${runAttempts} attempts; a message needs one more`, { run });
  const last = task.phase.status === 'running' ? lastAttempt(task) : undefined;
  const spentUsd = roundMoney(runMoney(state).spentUsd + (last === undefined ? 0 : costSoFar(last)));
  const money = { spentUsd, reservedUsd: 0 };
  const whole = reservationFor(state, task.spec);
  const reservation = last === undefined ? whole : continuedReservation(whole, last);
  if (affordable({ ...config.budget, project: undefined }, reservation, { run: money, project: money }) !== 'never')
    return;
  const left = Math.max(0, (config.budget.run ?? 0) - spentUsd);
  throw new AppError(
    'REFUSED',
    `A message needs another attempt, which reserves ${moneyText(reservation.costUsd)}, and run ${run} has ${moneyText(left)} left`,
    { run },
  );
}

/** What an attempt that is interrupted now is charged: unknown usage counts as the whole reservation. */
function costSoFar({ usage, reservation }: AttemptState): number {
  return chargeOf(usage.kind === 'known' ? usage : { kind: 'unknown' }, reservation).costUsd;
}

function isOver({ phase }: TaskState): boolean {
  return ['done', 'failed', 'skipped', 'cancelled'].includes(phase.status);
}
