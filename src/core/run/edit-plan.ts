import { AppError } from '../../errors.ts';
import type { RunEvent } from '../../schema/event.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { TaskEdit, TaskSpec } from '../../schema/task.ts';
import { labelOf } from '../view/task-label.ts';
import { findCycle } from './graph.ts';
import { requireLive, requireTask } from './require.ts';
import type { RunState, TaskState } from './state.ts';

/** The edited plan: every kept task in its order, new ones with their complete spec. */
export type EditedPlan = ({ kind: 'keep'; task: TaskKey; edit: TaskEdit } | { kind: 'add'; spec: TaskSpec })[];

/** The tasks of a plan that waits for approval, in the order in which they would start: those that have not started. */
export function plannedTasks(state: RunState): TaskState[] {
  return plannedOrder(state).flatMap((key) => {
    const task = state.tasks[key];
    return task !== undefined && isNotStarted(task) ? [task] : [];
  });
}

/** All tasks in the order that a person set, the others after them as they were added. */
export function plannedOrder({ order, sequence, tasks }: RunState): TaskKey[] {
  const rank = new Map(sequence.map((key, index) => [key, index]));
  const position = (key: TaskKey) => rank.get(key) ?? sequence.length + (tasks[key]?.ordinal ?? 0);
  return order.toSorted((a, b) => position(a) - position(b));
}

/** Changes a plan before it is approved: edits, removes, adds and reorders its tasks. Needs of removed tasks are dropped. */
export function editPlan(state: RunState, plan: EditedPlan): RunEvent[] {
  requireWaitingPlan(state);
  const planned = new Map(plannedTasks(state).map((task) => [task.spec.key, task]));
  const kept = plan.flatMap((each) => (each.kind === 'keep' ? [each] : []));
  const added = plan.flatMap((each) => (each.kind === 'add' ? [each.spec] : []));
  requireUnique([...kept.map(({ task }) => task), ...added.map(({ key }) => key)]);
  for (const { task } of kept) {
    requireTask(state, task);
    if (!planned.has(task))
      throw new AppError('REFUSED', `Task ${labelOf(state, task)} has started and cannot be changed`, { key: task });
  }
  const keptKeys = new Set(kept.map(({ task }) => task));
  const removed = [...planned.keys()].filter((key) => !keptKeys.has(key));
  if (kept.length + added.length === 0)
    throw new AppError('INPUT_INVALID', 'A plan needs at least one task; to discard it, reject it');
  const changes = kept.flatMap(({ task, edit }) => changeOf(requireTask(state, task), edit, removed));
  requireSound(state, { kept, added, removed });
  const order = plan.map((each) => (each.kind === 'keep' ? each.task : each.spec.key));
  return [
    ...(added.length === 0 ? [] : [{ type: 'tasks.added' as const, data: { specs: added } }]),
    ...(changes.length === 0 ? [] : [{ type: 'tasks.edited' as const, data: { changes } }]),
    ...(removed.length === 0
      ? []
      : [{ type: 'tasks.cancelled' as const, data: { tasks: removed, reason: 'removed from the plan' } }]),
    ...(isSameOrder(
      order,
      [...planned.keys()].filter((key) => keptKeys.has(key)),
    )
      ? []
      : [{ type: 'tasks.reordered' as const, data: { tasks: order } }]),
  ];
}

/** Changes the priority of a task that has not ended; a running attempt continues. */
export function prioritize(state: RunState, what: { task: TaskKey; priority: number }): RunEvent[] {
  requireLive(state);
  const { spec, phase } = requireTask(state, what.task);
  if (phase.status !== 'waiting' && phase.status !== 'ready')
    throw new AppError('REFUSED', `Task ${what.task} is ${phase.status}; only queued tasks have a priority to change`, {
      key: what.task,
    });
  return spec.priority === what.priority ? [] : [{ type: 'task.prioritized', data: what }];
}

/** Changes the priority of every task of a run that has not started, and so when the run gets its turn among others. */
export function prioritizeRun(state: RunState, priority: number): RunEvent[] {
  requireLive(state);
  const queued = Object.values(state.tasks).filter(
    ({ phase }) => phase.status === 'waiting' || phase.status === 'ready',
  );
  if (queued.length === 0)
    throw new AppError('REFUSED', `Run ${state.start.run} has no queued task whose priority could change`, {
      run: state.start.run,
    });
  return queued
    .filter(({ spec }) => spec.priority !== priority)
    .map(({ spec }) => ({ type: 'task.prioritized', data: { task: spec.key, priority } }));
}

function requireWaitingPlan({ status, start }: RunState): void {
  if (status.kind === 'held' && status.hold.what === 'plan') return;
  throw new AppError('REFUSED', `Run ${start.run} has no plan that waits for approval`, { run: start.run });
}

function isNotStarted({ phase, attempts }: TaskState): boolean {
  return attempts.length === 0 && (phase.status === 'waiting' || phase.status === 'ready');
}

function requireUnique(keys: readonly TaskKey[]): void {
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice !== undefined) throw new AppError('INPUT_INVALID', `The plan contains ${twice} twice`, { key: twice });
}

/** The actual changes of an edit, with needs of removed tasks dropped. */
function changeOf({ spec }: TaskState, edit: TaskEdit, removed: readonly TaskKey[]): (TaskEdit & { task: TaskKey })[] {
  const needs = (edit.needs ?? spec.needs).filter((need) => !removed.includes(need));
  const change: TaskEdit = {
    ...(edit.title === undefined || edit.title === spec.title ? {} : { title: edit.title }),
    ...(edit.prompt === undefined || edit.prompt === spec.prompt ? {} : { prompt: edit.prompt }),
    ...(needs.join() === spec.needs.join() ? {} : { needs }),
    ...(edit.priority === undefined || edit.priority === spec.priority ? {} : { priority: edit.priority }),
    ...(edit.agent === undefined || edit.agent === spec.agent ? {} : { agent: edit.agent }),
  };
  return Object.keys(change).length === 0 ? [] : [{ task: spec.key, ...change }];
}

/** Requires that every need exists in the edited plan, and that it has no cycle. */
function requireSound(
  state: RunState,
  { kept, added, removed }: { kept: { task: TaskKey; edit: TaskEdit }[]; added: TaskSpec[]; removed: TaskKey[] },
): void {
  const nodes = [
    ...kept.map(({ task, edit }) => ({ key: task, needs: edit.needs ?? requireTask(state, task).spec.needs })),
    ...added.map(({ key, needs }) => ({ key, needs })),
  ].map(({ key, needs }) => ({ key, needs: needs.filter((need) => !removed.includes(need)) }));
  const known = new Set([...nodes.map(({ key }) => key), ...Object.keys(state.tasks)]);
  for (const { key, needs } of nodes) {
    const unknown = needs.find((need) => !known.has(need));
    if (unknown !== undefined)
      throw new AppError('PLAN_INVALID', `Task ${key} needs ${unknown}, which is not in the plan`, { key });
  }
  const cycle = findCycle(nodes);
  if (cycle !== undefined)
    throw new AppError('PLAN_INVALID', `The plan has a cycle: ${cycle.join(' needs ')}`, { cycle });
}

function isSameOrder(one: readonly TaskKey[], other: readonly TaskKey[]): boolean {
  return one.length === other.length && one.every((key, index) => key === other[index]);
}
