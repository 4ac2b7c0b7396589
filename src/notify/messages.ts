import { redactForms } from '../core/redact.ts';
import { decisionPath, pagePath } from '../core/view/decision-path.ts';
import { isHidden } from '../core/view/open-run.ts';
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
  if (isHidden(run)) return [];
  const waiting = run.attention
    // What a sub-run waits for is a message of the sub-run.
    .filter(({ what, subRun }) => what !== 'paused' && subRun === undefined)
    .map(({ task, what, since, reason, question, options }) => ({
      key: ['needs-you', run.run, task ?? '', what, question ?? '', question === undefined ? since : ''].join(' '),
      reason: 'needs-you' as const,
      run: run.run,
      task,
      title: clean(`${WAITING[what]}: ${run.title}`),
      text: clean(reason),
      path: decisionPath({ run: run.run, task, what, options }),
    }));
  return [...waiting, ...endOf(run)];
}

/** The message about a run that no engine is running; its key is the same until the run has continued. */
export function interruptionMessage({ run, title, version }: RunOverview): Message {
  return {
    key: `interrupted ${run} ${version}`,
    reason: 'needs-you',
    run,
    task: null,
    title: clean(`Interrupted: ${title}`),
    text: 'No engine is running it.',
    path: pagePath({ run, task: null }),
  };
}

function endOf(run: RunOverview): Message[] {
  const path = pagePath({ run: run.run, task: null });
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
