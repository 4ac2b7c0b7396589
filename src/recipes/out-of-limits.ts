import type { TaskState } from '../core/run/state.ts';
import type { FailureLimit } from '../schema/failure.ts';

/** Limits after which no further task of the run can start. */
const OUT: ReadonlySet<FailureLimit> = new Set([
  'deadline',
  'run-budget',
  'project-budget',
  'run-attempts',
  'recovery-budget',
]);

/** Why the run can start nothing more, if one of these tasks shows that it cannot: its money or its time is used up. */
export function outOf(tasks: readonly (TaskState | undefined)[]): string | undefined {
  for (const task of tasks) {
    const failure = task?.phase.status === 'failed' ? task.phase.failure : null;
    if (failure?.limit !== undefined && OUT.has(failure.limit)) return failure.message;
  }
  return undefined;
}
