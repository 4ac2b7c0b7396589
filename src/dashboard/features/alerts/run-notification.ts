import { needsYou } from '../../../core/view/needs-you.ts';
import { isHidden, isInterrupted } from '../../../core/view/open-run.ts';
import type { RunOverview } from '../../../schema/overview.ts';
import { type DisplayState, runDisplayState, URGENCY } from '../../ui/state/display-state.ts';

/** A notification about a run. */
export type RunNotification = { kind: 'error' | 'done' | 'info'; text: string };

const WAITING: Record<RunOverview['attention'][number]['what'], string> = {
  plan: 'has a plan to approve',
  held: 'has work to approve',
  blocked: 'is blocked',
  paused: 'is paused',
  question: 'asks a question',
};
const ENDED: Partial<Record<RunOverview['status'], { kind: RunNotification['kind']; text: string }>> = {
  done: { kind: 'done', text: 'is done' },
  unverified: { kind: 'info', text: 'ended unverified' },
  partial: { kind: 'error', text: 'is partly done' },
  failed: { kind: 'error', text: 'failed' },
};

/** The notification for a change of a run; undefined for most changes. */
export function notificationFor(before: RunOverview | undefined, after: RunOverview): RunNotification | undefined {
  if (isHidden(after)) return undefined;
  const ended = before?.status === after.status ? undefined : ENDED[after.status];
  if (ended !== undefined && before !== undefined) return { kind: ended.kind, text: `${after.title} ${ended.text}` };
  const known = new Set(before?.attention.map(keyOf));
  const fresh = after.attention.find((item) => item.what !== 'paused' && !known.has(keyOf(item)));
  if (fresh === undefined || before === undefined) return undefined;
  return {
    kind: 'info',
    text: `${after.title} ${WAITING[fresh.what]}${fresh.reason === '' ? '' : `: ${fresh.reason}`}`,
  };
}

function keyOf({ task, what, question, hold }: RunOverview['attention'][number]): string {
  return `${what} ${task ?? ''} ${question ?? hold ?? ''}`;
}

/** Whether a run has no engine since this change, or has one; undefined if nothing changed about that. */
export function interruptionBy(before: RunOverview | undefined, after: RunOverview): 'began' | 'ended' | undefined {
  if (!isInterrupted(after)) return 'ended';
  return before === undefined || isInterrupted(before) ? undefined : 'began';
}

/** The number of items that need the user, and the most urgent display state of the current runs. */
export function tabStatus(
  runs: readonly RunOverview[],
  now: number,
): { waiting: number; displayState: DisplayState | undefined } {
  const shown = runs.filter((run) => !isHidden(run));
  const { waiting, count } = needsYou(shown, now);
  const displayStates = new Set(shown.filter(isNow).map(runDisplayState));
  return {
    waiting: count,
    displayState: waiting.length > 0 ? 'waiting' : URGENCY.find((displayState) => displayStates.has(displayState)),
  };
}

/** Whether a run is open or unread. */
function isNow({ status, unread }: RunOverview): boolean {
  return (
    unread ||
    status === 'running' ||
    status === 'needs-rerun' ||
    status === 'paused' ||
    status === 'held' ||
    status === 'blocked'
  );
}
