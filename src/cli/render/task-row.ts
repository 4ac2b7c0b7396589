import { lastAttempt, type RunState, type TaskState } from '../../core/run/state.ts';
import { withLocalTimes } from '../../core/view/amounts.ts';
import { agentText, labelOf, taskLabel } from '../../core/view/task-label.ts';
import type { Evidence } from '../../schema/gate.ts';
import { clockText } from './amounts.ts';

/** The cells of a task, before they are fitted into columns. */
export type TaskRow = { label: string; title: string; who: string; time: string; gates: Evidence[]; detail: string };

/** The row of a task: its agent, its time, its gate verdicts, and what it waits for or ended with. */
export function taskRow(state: RunState, task: TaskState, now: number): TaskRow {
  const attempt = lastAttempt(task);
  return {
    label: taskLabel(task.spec),
    title: task.spec.title,
    who: attempt === undefined ? '' : `${agentText(attempt)}${attempt.number > 1 ? ` #${attempt.number}` : ''}`,
    time: timeOf(task, now),
    gates: task.evidence,
    detail: detailOf(state, task, now),
  };
}

function timeOf(task: TaskState, now: number): string {
  const first = task.attempts[0];
  if (first === undefined) return '';
  const { phase } = task;
  if (phase.status === 'running') return clockText(now - (lastAttempt(task)?.startedAt ?? now));
  return 'at' in phase ? clockText(phase.at - first.startedAt) : '';
}

function detailOf(state: RunState, task: TaskState, now: number): string {
  const { phase } = task;
  switch (phase.status) {
    case 'waiting':
      return `after ${missingNeeds(state, task)}`;
    case 'ready':
      return readyDetail(task, phase.notBefore, now);
    case 'running':
      return runningDetail(task);
    case 'analyzing':
      return `${phase.analysis} analyzes the failure`;
    case 'landing':
      return phase.approved ? 'landing, approved' : 'landing';
    case 'verifying':
      return `${labelOf(state, phase.verifier)} verifies it`;
    case 'conflicted':
      return `conflict in ${phase.files.join(', ') || 'the merge'}: ${phase.resolver} resolves it`;
    case 'held':
      return `held: ${phase.hold.reason}`;
    case 'done':
      return '';
    case 'blocked':
    case 'failed':
    case 'skipped':
    case 'cancelled':
      return phase.reason;
  }
}

function missingNeeds(state: RunState, task: TaskState): string {
  const missing = task.spec.needs.filter((need) => state.tasks[need]?.phase.status !== 'done');
  const [first, second, ...more] = missing;
  const label = (key: string | undefined) => (key === undefined ? undefined : labelOf(state, key));
  return [label(first), label(second), more.length > 0 ? `${more.length} more` : undefined]
    .filter((part) => part !== undefined)
    .join(', ');
}

function readyDetail(task: TaskState, notBefore: number, now: number): string {
  const failure = lastAttempt(task)?.ended?.failure;
  const why = failure == null ? '' : `: ${failure.kind}: ${failure.message}`;
  if (notBefore > now) return `${failure == null ? 'starts' : 'retry'} in ${clockText(notBefore - now + 999)}${why}`;
  return failure == null ? 'ready' : `retry pending${why}`;
}

/** A second attempt shows why it exists: the last failure, or the rate limit of another agent. */
function runningDetail(task: TaskState): string {
  const attempt = lastAttempt(task);
  return attempt === undefined || attempt.number === 1 ? '' : withLocalTimes(attempt.because, attempt.startedAt);
}
