import type { ActiveRun } from './context.ts';

/** A disk or a repository that comes back does so at the first tries, or needs a person. */
const MOST_TRIES = 3;

const troubles = new WeakMap<ActiveRun, number>();

/** Whether a step of a run that is being cancelled is tried again after this error: what an abort ended is no trouble, and the rest has an end. */
export function mayTryAgain(run: ActiveRun, error: unknown): boolean {
  if (run.cancel.signal.reason === error || (error instanceof Error && error.name === 'AbortError')) return true;
  const count = (troubles.get(run) ?? 0) + 1;
  troubles.set(run, count);
  return count < MOST_TRIES;
}
