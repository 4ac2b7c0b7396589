import type { RunOverview, WaitingItem } from '../../schema/overview.ts';
import { isHidden, isInterrupted, isUnresolved } from './open-run.ts';

/** Something that waits for the user, with its run. */
export type WaitingEntry = { run: RunOverview; item: WaitingItem };

/** What needs the user: what waits, and runs that ended without all of their work. */
export type AttentionList = { waiting: WaitingEntry[]; failed: RunOverview[]; count: number };

/** What waits for the user in a run; a run that no engine is running waits to be resumed. */
export function waitingItems(run: RunOverview): readonly WaitingItem[] {
  if (!isInterrupted(run)) return run.attention;
  const interrupted: WaitingItem = {
    task: null,
    taskTitle: null,
    what: 'paused',
    reason: 'No engine is running it.',
    files: [],
    nextStep: `manyhands resume ${run.run}`,
    since: run.updatedAt,
  };
  return [...run.attention, interrupted];
}

/**
 * What needs the user: what waits with the oldest first, failed runs with the latest first; hidden runs that ended never do. What a
 * sub-run waits for is listed with the sub-run, where it is known.
 */
export function needsYou(runs: readonly RunOverview[], now: number): AttentionList {
  const shown = runs.filter((run) => !isHidden(run));
  const ids = new Set(shown.map(({ run }) => run));
  const waiting = shown
    .filter(({ endedAt }) => endedAt === null)
    .flatMap((run) => waitingItems(run).map((item) => ({ run, item })))
    .filter(({ item: { subRun } }) => subRun === undefined || !ids.has(subRun))
    .sort((a, b) => a.item.since.localeCompare(b.item.since));
  const failed = shown
    .filter((run) => isUnresolved(run, now))
    .sort((a, b) => (b.endedAt ?? '').localeCompare(a.endedAt ?? ''));
  return { waiting, failed, count: waiting.length + failed.length };
}
