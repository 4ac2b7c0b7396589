import { isSatisfied } from '../../gates/gate-kinds.ts';
import type { RunEventOf, UnsavedAttempt } from '../../schema/event.ts';
import type { FailureKind } from '../../schema/failure.ts';

import type { TaskKey } from '../../schema/ids.ts';
import { enter, taskOf } from '../run/phase.ts';
import { type AttemptState, lastAttempt, type RunState, type TaskState } from '../run/state.ts';
import { addSpend, capCharge, chargeOf, countUnknown, roundMoney, subtractSpend } from '../schedule/budget.ts';
import { isCrash } from './decide-retry.ts';
import { deliverMessages } from './fold-interrupt.ts';

/** Reserves the budget and adds the attempt to its task. */
export function startAttempt(state: RunState, event: RunEventOf<'attempt.started'>, at: number): void {
  const { task: key, attempt, agent, account, tier, because, base, reservation, session, host } = event.data;
  const task = taskOf(state, key);
  keepEvidence(task);
  task.attempts.push({
    number: attempt,
    agent,
    account: account ?? null,
    tier: tier ?? null,
    because,
    base,
    reservation,
    startedAt: at,
    process: null,
    usage: { kind: 'none' },
    session: session ?? null,
    warnings: [],
    ended: null,
    ...(host === undefined ? {} : { host }),
  });
  const relevant = task.evidence.filter(({ verdict, flags }) => !isSatisfied(verdict) || flags !== undefined);
  if (relevant.length > 0) task.earlierEvidence = relevant;
  task.evidence = [];
  state.attempts += 1;
  state.reserved = addSpend(state.reserved, reservation);
  enter(state, task, { status: 'running', attempt });
}

/** Keeps the evidence for the work of the last attempt with it, before that of the next one replaces it. */
function keepEvidence({ attempts, evidence }: TaskState): void {
  const ended = attempts.at(-1)?.ended;
  if (ended == null || evidence.length === 0) return;
  ended.evidence = evidence.map(({ output, outputAt: _, ...rest }) =>
    isSatisfied(rest.verdict) || output === undefined ? rest : { ...rest, output },
  );
}

/** Releases the reservation and charges the usage; the next event decides what happens to the task. */
export function endAttempt(state: RunState, event: RunEventOf<'attempt.ended'>, at: number): void {
  const attempt = attemptOf(state, event.data);
  const { usage, summary, output, failure, saved, session, flags, network } = event.data;
  attempt.usage = usage;
  attempt.session = session ?? attempt.session;
  deliverMessages(taskOf(state, event.data.task), event);
  delete taskOf(state, event.data.task).changes;
  attempt.ended = {
    at,
    summary,
    output: output ?? null,
    failure: failure ?? null,
    saved: saved ?? null,
    flags: flags ?? [],
    ...(network === undefined ? {} : { network }),
  };
  const track = taskOf(state, event.data.task).spec.track ?? '';
  if (failure?.kind === 'environment') state.environmentFailures[track] = (state.environmentFailures[track] ?? 0) + 1;
  else if (failure === undefined) delete state.environmentFailures[track];
  countCrash(state, attempt.agent, failure?.kind);
  state.reserved = subtractSpend(state.reserved, attempt.reservation);
  const charge = chargeOf(usage, attempt.reservation);
  state.spent = addSpend(state.spent, charge);
  countUnknown(state, usage, attempt.reservation);
  const capped = capCharge(state.start.config, attempt);
  state.spentBy[attempt.agent] = roundMoney((state.spentBy[attempt.agent] ?? 0) + capped);
}

/** Opens a finished attempt again whose work is not saved, so that it is concluded and charged once; false where it has no process to read. */
export function concludeAgain(state: RunState, task: TaskState, unsaved: UnsavedAttempt): boolean {
  const attempt = lastAttempt(task);
  if (attempt?.process == null || attempt.ended === null) return false;
  const charge = chargeOf(attempt.usage, attempt.reservation);
  attempt.ended = null;
  state.spent = subtractSpend(state.spent, charge);
  countUnknown(state, attempt.usage, attempt.reservation, -1);
  const capped = capCharge(state.start.config, attempt);
  state.spentBy[attempt.agent] = roundMoney((state.spentBy[attempt.agent] ?? 0) - capped);
  state.reserved = addSpend(state.reserved, attempt.reservation);
  enter(state, task, { status: 'running', attempt: attempt.number, unsaved });
  return true;
}

/** An interruption is no evidence about the agent. */
function countCrash(state: RunState, agent: string, failure: FailureKind | undefined): void {
  if (failure === 'interrupted') return;
  if (isCrash(failure)) state.crashes[agent] = (state.crashes[agent] ?? 0) + 1;
  else delete state.crashes[agent];
}

/** Adds a warning to the attempt. */
export function warn(attempt: AttemptState, { data }: RunEventOf<'attempt.warned'>, at: number): void {
  attempt.warnings.push({ sign: data.sign, message: data.message, at, dismissed: false });
}

/** Hides a warning; it stays recorded, so that the same sign does not warn again. */
export function dismiss(attempt: AttemptState, { data }: RunEventOf<'attempt.warning-dismissed'>): void {
  for (const warning of attempt.warnings) if (warning.sign === data.sign) warning.dismissed = true;
}

/** The warnings of an attempt that are not dismissed. */
export function openWarnings(attempt: AttemptState | undefined): AttemptState['warnings'] {
  return (attempt?.warnings ?? []).filter(({ dismissed }) => !dismissed);
}

/** The attempt that an event names; a log that names an unknown one is damaged. */
export function attemptOf(state: RunState, ref: { task: TaskKey; attempt: number }): AttemptState {
  const attempt = taskOf(state, ref.task).attempts[ref.attempt - 1];
  if (attempt === undefined)
    throw new Error(`An event names attempt ${ref.attempt} of ${ref.task}, which never started`);
  return attempt;
}
