import type { RunOverview } from '../../schema/overview.ts';
import type { RunState } from '../run/state.ts';
import { errorLine } from './error-line.ts';
import { checkOutput, isFailed } from './failed-check.ts';
import { taskLabel } from './task-label.ts';

/** The last lines that a list shows of what failed. */
const FAILURE_LINES = 6;

/** What failed first in a run that ended without all of its work. */
export function firstFailure(state: RunState): RunOverview['failure'] {
  const { status } = state;
  if (status.kind !== 'ended' || (status.status !== 'failed' && status.status !== 'partial')) return null;
  const task = state.order.map((key) => state.tasks[key]).find((each) => each?.phase.status === 'failed');
  const evidence = [...(task?.evidence ?? []), ...state.landingEvidence, ...(state.baseEvidence ?? [])].find(isFailed);
  const lines = evidence === undefined ? [] : checkOutput(evidence, { duration: String }).lines.slice(-FAILURE_LINES);
  return {
    task: task?.spec.key ?? null,
    ...(task === undefined ? {} : { label: taskLabel(task.spec) }),
    title: task?.spec.title ?? null,
    reason: task?.phase.status === 'failed' ? task.phase.reason : status.reason,
    command: evidence?.command ?? null,
    error: evidence === undefined ? null : (errorLine(evidence) ?? null),
    lines,
  };
}
