import { isInterrupted } from '../../core/run-word.ts';
import type { RunOverview } from '../../schema/overview.ts';
import type { Top } from './top.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** In how many milliseconds the picture changes by itself: while a clock is to be seen, a second; ages, a minute. */
export function nextTick(top: Top): number {
  return top.engine !== 'none' && hasClock(top) ? SECOND_MS : MINUTE_MS;
}

function hasClock({ page, runs, state }: Top): boolean {
  switch (page.kind) {
    case 'runs':
      return [...(runs?.values() ?? [])].some((run) => run.endedAt === null && !isWaiting(run));
    case 'run':
      return state !== undefined && state.status.kind !== 'ended';
    case 'task':
      return state?.tasks[page.task]?.phase.status === 'running';
  }
}

/** What waits says since when, in minutes. */
function isWaiting(run: RunOverview): boolean {
  return run.liveCount === 0 && (run.attention.length > 0 || isInterrupted(run));
}
