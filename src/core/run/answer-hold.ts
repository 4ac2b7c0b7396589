import { AppError } from '../../errors.ts';
import { promptText } from '../../roles/prompt.ts';
import type { HoldId, RunEvent } from '../../schema/event.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { grantedText } from '../attempt/policy-hold.ts';
import { labelOf } from '../view/task-label.ts';
import { cancelRun } from './decide-run.ts';
import { openHolds, type WaitingHold } from './holds.ts';
import { requireLive, requirePhase, requireTask } from './require.ts';
import type { HoldAnswer, RunState } from './state.ts';

/** The answered hold: by its id, by the held task, or by default every hold that waits. */
export type HoldChoice = { hold?: HoldId | undefined; task?: TaskKey | undefined };

/** The chosen option of a hold, and a note. */
type Chosen = { option?: string | undefined; note?: string | undefined };

/** Approves one hold, or all of them if none is given. A hold with options needs one of them. */
export function approve(state: RunState, answer: HoldChoice & Chosen): RunEvent[] {
  requireLive(state);
  return selectHolds(state, answer).flatMap(({ task, hold }): RunEvent[] => {
    requireOption(hold, answer);
    const data = {
      hold: hold.id,
      ...(answer.option === undefined ? {} : { option: answer.option }),
      ...(answer.note === undefined ? {} : { note: answer.note }),
    };
    if (task === null) return [{ type: 'run.approved', data }];
    const approved: RunEvent = { type: 'task.approved', data: { task, ...data } };
    return hold.what === 'policy'
      ? [approved, continued(task, state.updatedAt, grantedText(hold.subject ?? ''))]
      : [approved];
  });
}

/**
 * A person rejects one hold with a reason. A task's work goes back to its agent with the reason; a rejected plan is
 * withdrawn and planned again; rejecting any other hold of the run ends the run.
 */
export function reject(state: RunState, answer: HoldChoice & { reason: string; now: number }): RunEvent[] {
  requireLive(state);
  const reason = answer.reason.trim();
  if (reason === '') throw new AppError('INPUT_INVALID', 'A rejection needs a reason, which is passed to the agent');
  const { task, hold } = onlyOne(state, selectHolds(state, answer));
  if (task === null) {
    const rejected: RunEvent = { type: 'run.rejected', data: { hold: hold.id, reason } };
    return hold.what === 'plan'
      ? [rejected, ...withdrawPlan(state, reason)]
      : [rejected, ...cancelRun(state, `rejected: ${reason}`)];
  }
  const { commit } = requirePhase(requireTask(state, task), 'held');
  if (hold.what === 'policy') {
    const message = promptText('roles/sections/refused-call', { subject: hold.subject ?? '', reason });
    return [{ type: 'task.rejected', data: { task, hold: hold.id, reason } }, continued(task, answer.now, message)];
  }
  return [
    { type: 'task.rejected', data: { task, hold: hold.id, reason } },
    {
      type: 'task.retrying',
      data: {
        task,
        at: answer.now,
        counted: false,
        resume: true,
        evidence: promptText('roles/sections/rejected-work', { reason }),
        from: { commit, base: state.tip.commit },
      },
    },
  ];
}

/** The session of a task continues where an agent wanted to do what a person has decided now. */
function continued(task: TaskKey, now: number, evidence: string): RunEvent {
  return { type: 'task.retrying', data: { task, at: now, counted: false, resume: true, evidence } };
}

function selectHolds(state: RunState, { hold, task }: HoldChoice): WaitingHold[] {
  const waiting = openHolds(state);
  if (hold !== undefined) {
    const found = waiting.find((each) => each.hold.id === hold);
    if (found === undefined) throw answeredAlready(state, hold);
    return [found];
  }
  if (task !== undefined) {
    requirePhase(requireTask(state, task), 'held');
    return waiting.filter((each) => each.task === task);
  }
  if (waiting.length === 0)
    throw new AppError('REFUSED', `Run ${state.start.run} has nothing to approve`, {
      run: state.start.run,
    });
  return waiting;
}

function onlyOne(state: RunState, holds: readonly WaitingHold[]): WaitingHold {
  const [first, second] = holds;
  if (first !== undefined && second === undefined) return first;
  const names = holds
    .map(({ task, hold }) => `${hold.id} (${task === null ? 'the run' : labelOf(state, task)})`)
    .join(', ');
  throw new AppError(
    'INPUT_INVALID',
    `Run ${state.start.run} has several holds: ${names}; specify the task or the hold`,
  );
}

function requireOption({ id, options = [] }: WaitingHold['hold'], { option, note = '' }: Chosen): void {
  if (option === undefined && options.length === 0) return;
  const chosen = options.find((each) => each.id === option);
  if (chosen?.needsNote === true && note.trim() === '')
    throw new AppError('INPUT_INVALID', `Option "${chosen.id}" of hold ${id} needs a note: ${chosen.label}`, {
      hold: id,
    });
  if (chosen !== undefined) return;
  const known = options.map((each) => each.id);
  const detail = known.length === 0 ? 'it has no options' : `choose one of: ${known.join(', ')}`;
  throw new AppError(
    'INPUT_INVALID',
    `Hold ${id} cannot be approved ${option === undefined ? 'without an option' : `with "${option}"`}; ${detail}`,
    { hold: id },
  );
}

function answeredAlready(state: RunState, hold: HoldId): AppError {
  const answer = state.answers.find((each) => each.hold === hold);
  if (answer === undefined) return new AppError('REFUSED', `Run ${state.start.run} has no hold ${hold}`, { hold });
  return new AppError('REFUSED', `Hold ${hold} was already answered: ${describe(answer)}`, { hold });
}

function describe({ choice, origin }: HoldAnswer): string {
  const done = choice === 'approve' ? 'approved' : 'rejected';
  const actor = origin?.actor;
  if (actor?.kind === 'assistant') return `${done} by the assistant ${actor.name}`;
  return actor?.kind === 'person' ? `${done} by ${actor.name}` : done;
}

/** Cancels the tasks of the rejected plan that have not started; the recipe plans again. */
function withdrawPlan(state: RunState, reason: string): RunEvent[] {
  const tasks = state.order.filter((key) => {
    const { phase, attempts } = requireTask(state, key);
    return attempts.length === 0 && (phase.status === 'waiting' || phase.status === 'ready');
  });
  return tasks.length === 0
    ? []
    : [{ type: 'tasks.cancelled', data: { tasks, reason: `the plan was rejected: ${reason}` } }];
}
