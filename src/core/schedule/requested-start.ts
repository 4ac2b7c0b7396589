import type { RunState } from '../run/state.ts';

/** When the next task of a run starts that has nothing else to do until then; only requested times count, not delays of retries. */
export function nextStartAt(state: RunState): number | undefined {
  const { ready, running, analyzing, landing, verifying, conflicted } = state.counts;
  if (state.status.kind !== 'running' || '' in state.paused) return undefined;
  if (running + analyzing + landing + verifying + conflicted > 0) return undefined;
  const waiting = Object.entries(state.delayed);
  if (waiting.length === 0 || ready > waiting.length) return undefined;
  const isRequested = waiting.every(([key, at]) => state.tasks[key]?.spec.notBefore === at);
  return isRequested ? waiting.reduce((first, [, at]) => Math.min(first, at), Number.POSITIVE_INFINITY) : undefined;
}
