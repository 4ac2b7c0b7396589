import type { RunState, TaskState } from '../../src/core/run/state.ts';
import type { Usage } from '../../src/schema/usage.ts';

/** A program that runs in the simulation; it outlives a crash of the engine. */
export type SimulatedAttempt = {
  run: string;
  task: string;
  attempt: number;
  agent: string;
  host?: string | undefined;
  usedUsd: number;
  reservedUsd: number;
};

/** Fails if an attempt at the task would start before its needs are met, or beside another. */
export function requireStartable(state: RunState, key: string): void {
  const { spec, attempts } = taskIn(state, key);
  const unmet = spec.needs.find((need) => state.tasks[need]?.phase.status !== 'done');
  if (unmet !== undefined) throw new Error(`${key} starts before ${unmet} is done`);
  if (attempts.some((attempt) => attempt.ended === null)) throw new Error(`${key} runs twice at once`);
}

/** What it has spent so far. */
export function usageOf({ usedUsd }: SimulatedAttempt): Usage {
  return { kind: 'known', costUsd: usedUsd, inputTokens: 1, outputTokens: 1, cachedTokens: 0, turns: 1 };
}

/** What is saved of its work. */
export function savedBy({ task, attempt }: SimulatedAttempt, changed: boolean) {
  const commit = `${task}-${attempt}`;
  return { ref: `refs/${commit}`, commit, tree: commit, head: commit, changed };
}

/** A task that must be there. */
export function taskIn(state: RunState, key: string): TaskState {
  const task = state.tasks[key];
  if (task === undefined) throw new Error(`there is no task ${key}`);
  return task;
}
