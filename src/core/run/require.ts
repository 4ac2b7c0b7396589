import { AppError } from '../../errors.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { taskLabel } from '../view/task-label.ts';
import type { RunState, TaskPhase, TaskState, TaskStatus } from './state.ts';

/** The task; refused when there is none. */
export function requireTask(state: RunState, key: TaskKey): TaskState {
  const task = Object.hasOwn(state.tasks, key) ? state.tasks[key] : undefined;
  if (task === undefined) throw new AppError('TASK_UNKNOWN', `Run ${state.start.run} has no task ${key}`, { key });
  return task;
}

/** The task's phase, if it is the one that the command needs. */
export function requirePhase<S extends TaskStatus>(task: TaskState, status: S): Extract<TaskPhase, { status: S }> {
  if (!isIn(task.phase, status)) {
    throw new AppError('REFUSED', `Task ${taskLabel(task.spec)} is ${task.phase.status}, not ${status}`, {
      key: task.spec.key,
    });
  }
  return task.phase;
}

/** Refuses any change to a run that has ended. */
export function requireLive(state: RunState): void {
  if (state.status.kind !== 'ended') return;
  throw new AppError('REFUSED', `Run ${state.start.run} has ended (${state.status.status})`, { run: state.start.run });
}

function isIn<S extends TaskStatus>(phase: TaskPhase, status: S): phase is Extract<TaskPhase, { status: S }> {
  return phase.status === status;
}
