import { AppError } from '../../errors.ts';
import type { RunEvent } from '../../schema/event.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { roundMoney } from '../schedule/budget.ts';
import { addTasks } from './add-tasks.ts';
import { isAuxiliary } from './reopening.ts';
import { requireTask } from './require.ts';
import { isOpen, lastAttempt, type RunState, type TaskState } from './state.ts';

/** A sub-task that the agent of a task requests; `needs` are other sub-tasks of the same task. */
export type RequestTask = { parent: TaskKey; call: string; title: string; prompt: string; needs: readonly TaskKey[] };

const MOST_DEPTH = 2;
const MOST_OF_TASK = 20;
const MOST_OF_RUN = 100;
/** What a sub-task may cost, of what its parent's attempt may. */
const SHARE = 0.25;

/** Adds a sub-task that lands like any other; the same call, or the same request again, adds nothing. */
export function requestTask(state: RunState, request: RequestTask): RunEvent[] {
  const parent = requireTask(state, request.parent);
  if (findRequested(state, request) !== undefined) return [];
  requireMayRequest(state, parent);
  const own = subTasks(state, request.parent);
  const unknown = request.needs.find((need) => own.every(({ spec }) => spec.key !== need));
  if (unknown !== undefined)
    throw new AppError('INPUT_INVALID', `${unknown} is no sub-task of this task, so another one cannot need it`);
  const { role, gates, retry, limits, priority, agent, tier, track } = parent.spec;
  const cap = limits.costUsd ?? lastAttempt(parent)?.reservation.costUsd ?? 0;
  return addTasks(state, [
    {
      key: `sub/${parent.ordinal}.${own.length + 1}`,
      title: request.title,
      prompt: request.prompt,
      role,
      access: 'write',
      needs: [...request.needs],
      gates,
      retry,
      limits: { ...limits, ...(cap > 0 ? { costUsd: roundMoney(cap * SHARE) } : {}) },
      priority,
      optional: true,
      requestedBy: { kind: 'task', task: request.parent, call: request.call },
      ...(agent === undefined ? {} : { agent }),
      ...(tier === undefined ? {} : { tier }),
      ...(track === undefined ? {} : { track }),
    },
  ]);
}

/** The sub-task of a call, or one with the same title and instructions. */
export function findRequested(
  state: RunState,
  { parent, call, title, prompt }: Omit<RequestTask, 'needs'>,
): TaskState | undefined {
  return subTasks(state, parent).find(
    ({ spec }) =>
      (spec.requestedBy?.kind === 'task' && spec.requestedBy.call === call) ||
      (spec.title === title && spec.prompt === prompt),
  );
}

/** The tasks that the agents of a task requested, in their order. */
export function subTasks(state: RunState, parent: TaskKey): TaskState[] {
  return state.order.flatMap((key) => {
    const task = state.tasks[key];
    return task?.spec.requestedBy?.kind === 'task' && task.spec.requestedBy.task === parent ? [task] : [];
  });
}

/** Whether a task delegated work that is done: then it may end without a change of its own. */
export function hasDelegated(state: RunState, parent: TaskKey): boolean {
  return subTasks(state, parent).some(({ phase }) => phase.status === 'done');
}

/** The open sub-tasks of a task that ended without being done: nobody needs them any more. */
export function orphanedTasks(state: RunState, parent: TaskKey): TaskKey[] {
  const status = state.tasks[parent]?.phase.status;
  if (status !== 'failed' && status !== 'cancelled' && status !== 'skipped') return [];
  return subTasks(state, parent).flatMap((task) => (isOpen(task) ? [task.spec.key] : []));
}

function requireMayRequest(state: RunState, parent: TaskState): void {
  const refuse = (reason: string) => new AppError('REFUSED', reason, { run: state.start.run });
  if (isAuxiliary(parent)) throw refuse('A task that serves another one cannot have sub-tasks');
  if (depthOf(state, parent) >= MOST_DEPTH) throw refuse(`Sub-tasks are at most ${MOST_DEPTH} levels deep`);
  if (subTasks(state, parent.spec.key).length >= MOST_OF_TASK)
    throw refuse(`A task has at most ${MOST_OF_TASK} sub-tasks`);
  const all = state.order.filter((key) => state.tasks[key]?.spec.requestedBy?.kind === 'task').length;
  if (all >= MOST_OF_RUN) throw refuse(`A run has at most ${MOST_OF_RUN} sub-tasks`);
}

function depthOf(state: RunState, task: TaskState): number {
  const { requestedBy } = task.spec;
  const above = requestedBy?.kind === 'task' ? state.tasks[requestedBy.task] : undefined;
  return above === undefined ? 0 : 1 + depthOf(state, above);
}
