import type { TaskKey } from '../../schema/ids.ts';
import type { RunState, TaskState } from '../run/state.ts';
import { emptyQueue } from '../schedule/queue.ts';

/** The part of a run's state that a host needs to perform an attempt of one task: other tasks only as far as it refers to them. */
export function stateForHost(state: RunState, key: TaskKey): RunState {
  const { spec } = requireTask(state, key);
  const named = [key, spec.workspace, spec.resolves, spec.continues, spec.verifies, ...spec.needs];
  const tasks = [...new Set(named)].flatMap((name) => {
    const task = name === undefined ? undefined : state.tasks[name];
    return task === undefined || name === undefined
      ? []
      : [[name, name === key ? task : withoutHistory(task)] as const];
  });
  return { ...withoutProgress(state), tasks: Object.fromEntries(tasks) };
}

/** The texts of the roles that an attempt of a task can have: those of all are most of an order. */
export function rolesForHost(texts: Readonly<Record<string, string>>, { spec }: TaskState): Record<string, string> {
  const roles = [spec.role, spec.verify?.fixRole];
  return Object.fromEntries(Object.entries(texts).filter(([name]) => roles.includes(name)));
}

/** A state without what only decisions need. */
function withoutProgress(state: RunState): RunState {
  return {
    ...state,
    order: [],
    sequence: [],
    dependents: {},
    ready: emptyQueue(),
    delayed: {},
    running: {},
    landing: {},
    calls: {},
    openCalls: 0,
    baseEvidence: null,
    landingEvidence: [],
    proven: {},
  };
}

/** The part of a run's state that a host needs to run a check: none of its tasks. */
export function stateForCheck(state: RunState): RunState {
  return { ...withoutProgress(state), tasks: {} };
}

/** The commits that a host needs to perform the next attempt of a task, each once. */
export function commitsForHost(state: RunState, key: TaskKey): string[] {
  const task = requireTask(state, key);
  const resolved = task.spec.resolves === undefined ? undefined : state.tasks[task.spec.resolves]?.phase;
  const conflict = resolved?.status === 'conflicted' ? [resolved.onto, resolved.commit] : [];
  const saved = task.attempts.findLast(({ ended }) => ended?.saved != null)?.ended?.saved?.commit;
  const from = task.from === null ? [] : [task.from.base, task.from.commit];
  const all = [state.tip.commit, task.attempts.at(-1)?.base, saved, ...from, ...conflict];
  return [...new Set(all)].flatMap((commit) => commit ?? []);
}

/** Another task as far as a prompt quotes it: its last attempt. */
function withoutHistory(task: TaskState): TaskState {
  return { ...task, attempts: task.attempts.slice(-1), evidence: [], messages: [] };
}

function requireTask(state: RunState, key: TaskKey): TaskState {
  const task = state.tasks[key];
  if (task === undefined) throw new Error(`There is no task ${key}`);
  return task;
}
