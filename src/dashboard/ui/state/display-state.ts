import type { AttemptState, TaskStatus } from '../../../core/run/state.ts';
import { isInterrupted } from '../../../core/view/open-run.ts';
import type { RunOverview } from '../../../schema/overview.ts';

/** The state of a run or task as it is displayed everywhere: card, graph, timeline, tab icon. */
export type DisplayState =
  | 'running'
  | 'checking'
  | 'waiting'
  | 'paused'
  | 'interrupted'
  | 'scheduled'
  | 'queued'
  | 'done'
  | 'unread'
  | 'unverified'
  | 'partial'
  | 'failed'
  | 'cancelled'
  | 'stale';

/** The label of each display state; its colour is the CSS variable `--state-<state>` in state-colors.css. */
export const STATE_LABELS: Record<DisplayState, string> = {
  running: 'Running',
  checking: 'Checking',
  waiting: 'Needs you',
  paused: 'Paused',
  interrupted: 'Interrupted',
  scheduled: 'Scheduled',
  queued: 'Queued',
  done: 'Done',
  unread: 'Done, unread',
  unverified: 'Unverified',
  partial: 'Partly done',
  failed: 'Failed',
  cancelled: 'Cancelled',
  stale: 'Stale',
};

/** The colour of a display state, as a CSS value. */
export function stateColor(displayState: DisplayState): string {
  return `var(--state-${displayState})`;
}

/** Display states by urgency: what needs the user, what is running, what has ended. */
export const URGENCY: readonly DisplayState[] = [
  'waiting',
  'interrupted',
  'failed',
  'partial',
  'running',
  'checking',
  'paused',
  'scheduled',
  'queued',
  'unread',
  'unverified',
  'stale',
  'done',
  'cancelled',
];

const TASK_DISPLAY_STATES: Record<TaskStatus, DisplayState> = {
  waiting: 'queued',
  ready: 'queued',
  running: 'running',
  analyzing: 'running',
  landing: 'checking',
  verifying: 'checking',
  conflicted: 'checking',
  held: 'waiting',
  blocked: 'waiting',
  done: 'done',
  failed: 'failed',
  skipped: 'cancelled',
  cancelled: 'cancelled',
};

/** The display state of a task; a task that must be done again is stale until it is done. */
export function taskDisplayState(status: TaskStatus, isStale = false): DisplayState {
  return isStale && (status === 'done' || status === 'waiting') ? 'stale' : TASK_DISPLAY_STATES[status];
}

/** A successful attempt that is followed by another was not accepted; the last one has the state of its task. */
export function attemptDisplayState({ ended }: Pick<AttemptState, 'ended'>, last: TaskStatus | null): DisplayState {
  if (ended === null) return 'running';
  if (ended.rejected !== undefined) return 'unverified';
  if (ended.failure === null) return last === null ? 'unverified' : taskDisplayState(last);
  return ended.failure.kind === 'interrupted' ? 'cancelled' : 'failed';
}

/** The display state of a run. */
export function runDisplayState(
  run: Pick<RunOverview, 'status' | 'unread' | 'nextAt' | 'waitsFor' | 'liveCount' | 'carried'>,
): DisplayState {
  if (isInterrupted(run)) return 'interrupted';
  switch (run.status) {
    case 'held':
    case 'blocked':
      return 'waiting';
    case 'done':
      return run.unread ? 'unread' : 'done';
    case 'running':
      if (run.waitsFor !== null) return run.waitsFor.kind === 'time' ? 'scheduled' : 'queued';
      return run.nextAt !== null && run.liveCount === 0 ? 'scheduled' : 'running';
    case 'needs-rerun':
      return 'stale';
    case 'cancelling':
      return 'cancelled';
    default:
      return run.status;
  }
}
