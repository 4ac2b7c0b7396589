import type { UnknownUsage } from '../../schema/usage.ts';
import type { AttemptState, TaskState } from '../run/state.ts';
import { chargeOf, countUnknown, roundMoney } from '../schedule/budget.ts';

/** What tasks cost, as the budget counts it: `at-most` where a reservation stands for unknown usage, `at-least` where nothing was reserved for it. */
export type TaskCost = { costUsd: number; bound: 'exact' | 'at-most' | 'at-least' };

/** What a task has cost so far. */
export function taskCost({ attempts }: Pick<TaskState, 'attempts'>): TaskCost {
  const unknown = attempts.filter(({ usage, ended }) => usage.kind === 'unknown' && ended !== null);
  const isCounted = unknown.every(({ reservation }) => reservation.costUsd > 0);
  return {
    costUsd: roundMoney(attempts.reduce((sum, attempt) => sum + attemptCharge(attempt), 0)),
    bound: unknown.length === 0 ? 'exact' : isCounted ? 'at-most' : 'at-least',
  };
}

/** What of the cost of ended attempts is not known; undefined where all of it is known. */
export function unknownOf(attempts: readonly AttemptState[]): UnknownUsage | undefined {
  const counted: { unknownUsage?: UnknownUsage } = {};
  for (const { usage, reservation, ended } of attempts) if (ended !== null) countUnknown(counted, usage, reservation);
  return counted.unknownUsage;
}

/** The charge of an attempt; a running one of which nothing is known has only reserved it. */
export function attemptCharge({ usage, reservation, ended }: AttemptState): number {
  return ended === null && usage.kind === 'unknown' ? 0 : chargeOf(usage, reservation).costUsd;
}
