import type { RunState } from '../../../../core/run/state.ts';
import { chargeOf } from '../../../../core/schedule/budget.ts';

export type TaskCost = { key: string; title: string; attempts: number; tokens: number; cost: number; isGuess: boolean };

/** The cost of each task, most expensive first; tasks without attempts are left out. */
export function taskCosts(state: RunState): TaskCost[] {
  return state.order
    .flatMap((key) => {
      const task = state.tasks[key];
      if (task === undefined || task.attempts.length === 0) return [];
      const row: TaskCost = {
        key,
        title: task.spec.title,
        attempts: task.attempts.length,
        tokens: 0,
        cost: 0,
        isGuess: false,
      };
      for (const { usage, reservation, ended } of task.attempts) {
        if (usage.kind === 'known') row.tokens += usage.inputTokens + usage.outputTokens;
        if (usage.kind === 'unknown' && ended !== null) row.isGuess = true;
        if (usage.kind !== 'unknown' || ended !== null) row.cost += chargeOf(usage, reservation).costUsd;
      }
      return [row];
    })
    .sort((a, b) => b.cost - a.cost || b.tokens - a.tokens);
}
