import { promptText } from '../../roles/prompt.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { dequeue, enqueue } from '../schedule/queue.ts';
import type { RunState, TaskPhase, TaskState } from './state.ts';

/** Moves a task into a phase; counts and the ready, delayed, running and landing indexes follow it here and nowhere else. */
export function enter(state: RunState, task: TaskState, phase: TaskPhase): void {
  leave(state, task);
  const key = task.spec.key;
  state.counts[phase.status] += 1;
  task.phase = phase;
  if (phase.status === 'ready') {
    if (phase.notBefore > state.updatedAt) state.delayed[key] = phase.notBefore;
    else enqueue(state.ready, key, task.spec.priority);
  }
  if (phase.status === 'running') state.running[key] = phase.attempt;
  if (phase.status === 'landing') state.landing[key] = true;
}

/** Queues a task, or delays it until the given time. */
export function makeReady(state: RunState, task: TaskState, notBefore: number): void {
  enter(state, task, { status: 'ready', notBefore });
}

/** Ends a task, and makes dependents ready that only waited for it. */
export function finish(state: RunState, task: TaskState, phase: TaskPhase): void {
  enter(state, task, phase);
  state.lastEnded = task.spec.key;
  if (phase.status === 'done') {
    state.invalidated = state.invalidated.filter((key) => key !== task.spec.key && !isRenewedBy(state, key, task));
    meetNeeds(state, task.spec.key);
  }
  if (task.spec.analyzes !== undefined) endAnalysis(state, task, task.spec.analyzes);
}

/** Lets a task's next attempt start from the current tip of the branch. */
export function beginAtTip({ tip }: RunState, task: TaskState): void {
  task.from = { commit: tip.commit, base: tip.commit };
}

/** The task that an event names; a log that names an unknown one is damaged. */
export function taskOf(state: RunState, key: TaskKey): TaskState {
  const task = state.tasks[key];
  if (task === undefined) throw new Error(`An event names task ${key}, which was never added`);
  return task;
}

function isRenewedBy(state: RunState, key: TaskKey, { spec }: TaskState): boolean {
  return spec.renewed === true && spec.name !== undefined && state.tasks[key]?.spec.name === spec.name;
}

function leave(state: RunState, task: TaskState): void {
  const { phase, spec } = task;
  state.counts[phase.status] -= 1;
  if (phase.status === 'ready') {
    if (Object.hasOwn(state.delayed, spec.key)) delete state.delayed[spec.key];
    else dequeue(state.ready, spec.key);
  }
  if (phase.status === 'running') delete state.running[spec.key];
  if (phase.status === 'landing') delete state.landing[spec.key];
}

function meetNeeds(state: RunState, key: TaskKey): void {
  for (const dependentKey of state.dependents[key] ?? []) {
    const dependent = taskOf(state, dependentKey);
    dependent.missing -= 1;
    if (dependent.missing === 0 && dependent.phase.status === 'waiting') {
      if (state.invalidated.includes(dependentKey)) beginAtTip(state, dependent);
      makeReady(state, dependent, dependent.spec.notBefore ?? 0);
    }
  }
}

function endAnalysis(state: RunState, analysis: TaskState, key: TaskKey): void {
  const task = state.tasks[key];
  if (task?.phase.status !== 'analyzing') return;
  const summary = analysis.attempts.at(-1)?.ended?.summary ?? '';
  if (summary !== '')
    task.lesson = promptText('roles/sections/failure-analysis', { evidence: task.lesson ?? '', analysis: summary });
  makeReady(state, task, 0);
}
