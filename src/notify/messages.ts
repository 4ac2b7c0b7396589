import { redactForms } from '../core/redact.ts';
import type { NotifyReason } from '../schema/config/notify.ts';
import type { RunOverview } from '../schema/overview.ts';

/** A message to the user. `key` is the same whenever the same message is sent again. */
export type Message = {
  key: string;
  reason: NotifyReason;
  run: string;
  task: string | null;
  title: string;
  text: string;
  /** The page of the dashboard, as a path. */
  path: string;
};

/** A longer text is cut: it is read on a phone. */
const MAX_CHARS = 500;

const WAITING: Record<RunOverview['attention'][number]['what'], string> = {
  plan: 'Plan to approve',
  held: 'Work to approve',
  blocked: 'Blocked',
  paused: 'Paused',
  question: 'Question',
};

/** The messages that the current state of a run gives; secrets are removed from their texts. */
export function messagesOf(run: RunOverview): Message[] {
  if (run.hidden) return [];
  const path = `/runs/${run.run}`;
  const waiting = run.attention
    .filter(({ what }) => what !== 'paused')
    .map(({ task, what, since, reason, question }) => ({
      key: ['needs-you', run.run, task ?? '', what, question ?? '', since].join(' '),
      reason: 'needs-you' as const,
      run: run.run,
      task,
      title: clean(`${WAITING[what]}: ${run.title}`),
      text: clean(reason),
      path: task === null ? path : `${path}/tasks/${encodeURIComponent(task)}`,
    }));
  return [...waiting, ...endOf(run, path)];
}

function endOf(run: RunOverview, path: string): Message[] {
  const { endedAt, failure, status } = run;
  if (endedAt === null || status === 'cancelled') return [];
  const reason = failure === null ? ('done' as const) : ('failed' as const);
  const text = failure === null ? (run.reason ?? '') : [failure.reason, failure.error ?? ''].join('\n');
  const title = clean(`${failure === null ? 'Done' : status === 'partial' ? 'Partly done' : 'Failed'}: ${run.title}`);
  return [{ key: `${reason} ${run.run} ${endedAt}`, reason, run: run.run, task: null, title, text: clean(text), path }];
}

function clean(text: string): string {
  const redacted = redactForms(text).trim();
  return redacted.length <= MAX_CHARS ? redacted : `${redacted.slice(0, MAX_CHARS - 1)}…`;
}
