import type { RunState } from './state.ts';

export type Quality = { attempts: number; landed: number; cost: number };

/** What became of each agent's work: attempts, those whose work passed its checks and landed, and what they cost. */
export function qualityByAgent(runs: Iterable<RunState>): Record<string, Quality> {
  const found: Record<string, Quality> = {};
  for (const run of runs) {
    for (const key of run.order) {
      const task = run.tasks[key];
      for (const attempt of task?.attempts ?? []) {
        const quality = found[attempt.agent] ?? { attempts: 0, landed: 0, cost: 0 };
        found[attempt.agent] = quality;
        quality.attempts += 1;
        if (attempt.usage.kind === 'known')
          quality.cost = Math.round((quality.cost + attempt.usage.costUsd) * 1e6) / 1e6;
        const isLast = attempt === task?.attempts.at(-1);
        if (isLast && task?.phase.status === 'done') quality.landed += 1;
      }
    }
  }
  return found;
}
