import type { TaskKey } from '../../schema/ids.ts';
import { isOpen, type RunState, type TaskState } from './state.ts';

/** Whether a person may have the task tried again. A resolver or analysis only while it is blocked: once ended, the task that it served is tried again. */
export function canReopen(state: RunState, key: TaskKey): boolean {
  const task = state.tasks[key];
  if (task === undefined) return false;
  if (task.phase.status === 'blocked') return true;
  return isLost(state, key) && !isAuxiliary(task);
}

/** Whether a task only serves another one: a resolver, an analysis, a verification. */
export function isAuxiliary({ spec }: TaskState): boolean {
  return spec.resolves !== undefined || spec.analyzes !== undefined || spec.verifies !== undefined;
}

/** A done task and all that was, or is to be, built upon it; what was given up stays so. */
export function tasksToInvalidate(state: RunState, root: TaskKey): TaskKey[] {
  const tasks = new Set([root]);
  for (const key of tasks) {
    for (const dependent of state.dependents[key] ?? []) if (!isLost(state, dependent)) tasks.add(dependent);
  }
  return [...tasks];
}

/** All that opens again with these tasks: what they need that did not get done, and what was skipped and has hope again. */
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
