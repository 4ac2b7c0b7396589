import type { RunState } from '../../../../core/run/state.ts';
import { type TaskCost, taskCost } from '../../../../core/view/task-cost.ts';

export type TaskCostRow = { key: string; title: string; attempts: number; tokens: number; cost: TaskCost };

/** The cost of each task, most expensive first; tasks without attempts are left out. */
export function taskCosts(state: RunState): TaskCostRow[] {
  return state.order
    .flatMap((key) => {
      const task = state.tasks[key];
      if (task === undefined || task.attempts.length === 0) return [];
      const tokens = task.attempts.reduce(
        (sum, { usage }) => sum + (usage.kind === 'known' ? usage.inputTokens + usage.outputTokens : 0),
        0,
      );
      return [{ key, title: task.spec.title, attempts: task.attempts.length, tokens, cost: taskCost(task) }];
    })
    .sort((a, b) => b.cost.costUsd - a.cost.costUsd || b.tokens - a.tokens);
}
