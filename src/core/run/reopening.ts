import type { TaskKey } from '../../schema/ids.ts';
import { isOpen, type RunState, type TaskState } from './state.ts';

/** Whether a person may retry the task. An auxiliary task only while it is blocked: once it has ended, the task that it served is retried. */
export function canReopen(state: RunState, key: TaskKey): boolean {
  const task = state.tasks[key];
  if (task === undefined) return false;
  if (task.phase.status === 'blocked') return true;
  return isLost(state, key) && !isAuxiliary(task);
}

/** Whether a task only serves another one: a resolver, an analysis or a verification. */
export function isAuxiliary({ spec }: TaskState): boolean {
  return spec.resolves !== undefined || spec.analyzes !== undefined || spec.verifies !== undefined;
}

/** A done task and all tasks that depend on it, also failed and skipped ones whose other needs can be done; cancelled ones stay ended. */
export function tasksToInvalidate(state: RunState, root: TaskKey): TaskKey[] {
  const tasks = new Set([root]);
  // A task with several needs is examined again for each of them that is added.
  for (const key of tasks) {
    for (const dependent of state.dependents[key] ?? [])
      if (canBeRepeatedWith(state, dependent, tasks)) tasks.add(dependent);
  }
  return [...tasks];
}

function canBeRepeatedWith(state: RunState, key: TaskKey, repeated: ReadonlySet<TaskKey>): boolean {
  const task = state.tasks[key];
  if (task === undefined || task.phase.status === 'cancelled') return false;
  return !isLost(state, key) || task.spec.needs.every((need) => repeated.has(need) || !isLost(state, need));
}

/** All tasks that are reopened with these: needs that were not done, and skipped tasks that can be done then. */
export function tasksToReopen(state: RunState, roots: readonly TaskKey[]): TaskKey[] {
  const tasks = new Set(roots);
  for (const key of tasks) {
    for (const need of state.tasks[key]?.spec.needs ?? []) if (isLost(state, need)) tasks.add(need);
  }
  for (const key of tasks) {
    for (const dependent of state.dependents[key] ?? [])
      if (canBeReopenedWith(state, dependent, tasks)) tasks.add(dependent);
  }
  return [...tasks];
}

function canBeReopenedWith(state: RunState, key: TaskKey, reopened: ReadonlySet<TaskKey>): boolean {
  const task = state.tasks[key];
  if (task?.phase.status !== 'skipped') return false;
  return task.spec.needs.every((need) => reopened.has(need) || !isLost(state, need));
}

function isLost(state: RunState, key: TaskKey): boolean {
  const task = state.tasks[key];
  return task !== undefined && !isOpen(task) && task.phase.status !== 'done';
}
