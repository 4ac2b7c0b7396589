import type { FailureLimit } from '../../schema/failure.ts';
import type { RunState, TaskState } from '../run/state.ts';
import { momentText } from '../view/amounts.ts';
import { affordable, nextReservation, shortOfMoney } from './budget.ts';
import { recoveryEnd } from './recovery.ts';
import { outsideOf } from './start-time.ts';
import type { RunTally, SchedulingInput } from './tally.ts';

/** Why a task ends without a start. */
export type GiveUpReason = { kind: 'budget' | 'environment' | 'timeout'; reason: string; limit?: FailureLimit };

/** Why the task can never start, if so. */
export function reasonToGiveUp(
  { state, money, recovery }: RunTally,
  task: TaskState,
  schedulingInput: SchedulingInput,
): GiveUpReason | undefined {
  const { limits, budget } = state.start.config;
  const { deadline } = state.start;
  if (isPastDeadline(state, schedulingInput.now)) {
    const reason = `the run stopped at its deadline, ${momentText(deadline ?? 0)}`;
    return { kind: 'timeout', limit: 'deadline', reason };
  }
  const before = outsideOf(task, schedulingInput.outside);
  if (before?.is === 'failed') return { kind: 'environment', reason: `it waits for ${before.ref}, which was not done` };
  if (state.attempts >= limits.runAttempts) {
    const reason = `the run's cap of ${limits.runAttempts} attempts is reached`;
    return { kind: 'budget', limit: 'run-attempts', reason };
  }
  const spent = before === undefined ? recoveryEnd(recovery, state, task) : undefined;
  if (spent !== undefined) return { kind: 'budget', limit: 'recovery-budget', reason: spent };
  const reservation = nextReservation(state, task);
  if (before !== undefined || affordable(budget, reservation, money) !== 'never') return undefined;
  const isInRun = affordable({ ...budget, project: undefined }, reservation, money) === 'never';
  const limit = isInRun ? 'run-budget' : 'project-budget';
  return { kind: 'budget', limit, reason: shortOfMoney(reservation, budget, money) };
}

/** Whether the run may start nothing more because of its deadline. */
export function isPastDeadline({ start: { deadline } }: RunState, now: number): boolean {
  return deadline !== undefined && now >= deadline;
}
