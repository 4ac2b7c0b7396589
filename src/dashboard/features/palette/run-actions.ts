import { isInterrupted } from '../../../core/view/run-status.ts';
import type { RunOverview } from '../../../schema/overview.ts';
import type { Entry } from './entry.ts';

/** What the palette can ask for about a run. */
export type RunAction =
  | 'approve-run'
  | 'retry-run'
  | 'pause-run'
  | 'resume'
  | 'cancel-run'
  | 'land-run'
  | 'flag-run'
  | 'mark-unread';

const OPEN: readonly RunOverview['status'][] = ['running', 'held', 'blocked', 'paused'];

/** The actions that make sense for a run as it stands. */
export function runActions(run: RunOverview): { deed: RunAction; title: string; isGrave: boolean }[] {
  const { status, attention, counts, landed } = run;
  const isOpen = OPEN.includes(status);
  const waits = attention.some(({ what }) => what === 'plan' || what === 'held');
  const isStuck = status === 'blocked' || status === 'failed' || (counts.failed ?? 0) + (counts.blocked ?? 0) > 0;
  const deeds: [boolean, RunAction, string, boolean][] = [
    [waits, 'approve-run', 'Approve what waits', false],
    [isStuck, 'retry-run', 'Retry what failed or is blocked', false],
    [status === 'paused' || isInterrupted(run), 'resume', 'Resume', false],
    [isOpen && status !== 'paused', 'pause-run', 'Pause', false],
    [run.flag === null, 'flag-run', 'Flag', false],
    [!run.unread, 'mark-unread', 'Mark as unread', false],
    [isOpen, 'cancel-run', 'Cancel', true],
    [status === 'done' && landed === null, 'land-run', 'Land', true],
  ];
  return deeds.flatMap(([isMeant, deed, title, isGrave]) => (isMeant ? [{ deed, title, isGrave }] : []));
}

/** The same as entries of the palette. */
export function actionEntries(run: RunOverview, act: (deed: RunAction) => void): Entry[] {
  return runActions(run).map(({ deed, title, isGrave }) => ({
    id: `deed ${deed}`,
    title: `${title}: ${run.title}`,
    group: 'Actions' as const,
    words: run.run,
    isGrave,
    run: () => act(deed),
  }));
}
