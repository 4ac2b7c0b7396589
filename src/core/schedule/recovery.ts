import type { RunState, TaskState } from '../run/state.ts';
import { moneyText } from '../view/amounts.ts';
import { type Affordability, chargeOf, fits, type Money, roundMoney } from './budget.ts';
import type { Wait } from './start-time.ts';

/** The attempts of a run that repeat failed ones: how many run, what they cost so far, and what the running ones reserve. */
export type RecoveryTally = { live: number; money: Money };

/** Counts the repeated attempts of a run; money only where a budget for them is set. */
export function recoveryTally(state: RunState): RecoveryTally {
  const { start, tasks, running } = state;
  const tally: RecoveryTally = { live: 0, money: { spentUsd: 0, reservedUsd: 0 } };
  for (const key of Object.keys(running)) if (tasks[key] !== undefined) addRecovery(tally, state, tasks[key]);
  if (start.config.budget.recovery === undefined) return tally;
  for (const task of Object.values(tasks)) tally.money.spentUsd = roundMoney(tally.money.spentUsd + costOf(task));
  return tally;
}

/** Counts an attempt that starts, if it repeats a failed one. */
export function addRecovery(tally: RecoveryTally, state: RunState, task: TaskState): void {
  if (!isRecovery(task)) return;
  tally.live += 1;
  tally.money.reservedUsd += reserved(state, task);
}

/** Why an attempt that repeats a failed one waits for another such attempt, if so. */
export function recoveryWait(tally: RecoveryTally, state: RunState, task: TaskState): Omit<Wait, 'task'> | undefined {
  if (!isRecovery(task)) return undefined;
  const { recoverySlots } = state.start.config.limits;
  if (recoverySlots !== undefined && tally.live >= recoverySlots)
    return { kind: 'slots', text: `${recoverySlots} of ${recoverySlots} slots for repeated attempts busy` };
  return affordable(tally, state, task) === 'later'
    ? { kind: 'budget', text: 'waits for money that repeated attempts have reserved' }
    : undefined;
}

/** Why a failed task is not attempted again because its run may not spend more on that, if so. */
export function recoveryEnd(tally: RecoveryTally, state: RunState, task: TaskState): string | undefined {
  if (!isRecovery(task) || affordable(tally, state, task) !== 'never') return undefined;
  const { recovery = 0 } = state.start.config.budget;
  return `repeated attempts have cost ${moneyText(tally.money.spentUsd)} of ${moneyText(recovery)}`;
}

/** Whether the next or running attempt of a task repeats a failed one, or analyzes why it failed; a retry by a person resets it. */
function isRecovery({ counted, spec }: TaskState): boolean {
  return counted > 0 || spec.analyzes !== undefined;
}

function affordable({ money }: RecoveryTally, state: RunState, task: TaskState): Affordability {
  return fits(reserved(state, task), state.start.config.budget.recovery, money);
}

function reserved({ start }: RunState, { spec }: TaskState): number {
  const { recovery, attempt } = start.config.budget;
  return recovery === undefined ? 0 : Math.min(spec.limits.costUsd ?? attempt, recovery);
}

/** What the ended attempts of a task cost that followed a failed one. */
function costOf({ attempts, spec }: TaskState): number {
  return attempts.reduce((sum, { usage, reservation, ended }, index) => {
    const before = attempts[index - 1]?.ended?.failure;
    const isRepeated = spec.analyzes !== undefined || (before != null && before.kind !== 'interrupted');
    return ended === null || !isRepeated ? sum : sum + chargeOf(usage, reservation).costUsd;
  }, 0);
}
