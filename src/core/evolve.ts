import type { RunEvent, RunEventOf } from '../schema/event.ts';
import type { TaskSpec } from '../schema/task.ts';
import { attemptOf, endAttempt, startAttempt } from './attempt.ts';
import { begin } from './begin.ts';
import { enter, finish, makeReady, taskOf } from './phase.ts';
import type { RunState, TaskState } from './state.ts';
import { proofKey } from './state.ts';

/** Names this fold: a snapshot made by another one is not used. Change it with any change of meaning. */
export const EVOLVE_CODEC = 'run-1';

export type Recorded = { event: RunEvent; at: number };

/** The state after the event; changes the given state in place. The same events always give the same state. */
export function evolve(state: RunState | undefined, { event, at }: Recorded): RunState {
  if (event.type === 'run.started') return begin(event, at);
  if (state === undefined) throw new Error(`The first event of a run must be run.started, not ${event.type}`);
  state.version += 1;
  state.updatedAt = at;
  apply(state, event, at);
  return state;
}

function apply(state: RunState, event: RunEvent, at: number): void {
  switch (event.type) {
    case 'run.started':
      return;
    case 'run.base-checked':
      state.baseEvidence = event.data.evidence;
      state.tip.tree ??= event.data.tree;
      for (const evidence of event.data.evidence) {
        if (evidence.verdict === 'pass') state.proven[proofKey(evidence)] = evidence;
      }
      return;
    case 'run.held':
      state.status = { kind: 'held', hold: event.data.hold };
      return;
    case 'run.approved':
      if (state.status.kind === 'held') state.approved.push(state.status.hold.what);
      state.status = { kind: 'running' };
      return;
    case 'run.limited':
      state.maxParallel = event.data.agents;
      return;
    case 'run.cancelling':
      state.status = { kind: 'cancelling', reason: event.data.reason };
      return;
    case 'run.rewound':
      state.tip = { commit: event.data.commit, tree: event.data.tree };
      return;
    case 'run.branch-pushed':
      state.pushed = event.data.commit;
      return;
    case 'run.landed':
      state.landed = {
        branch: event.data.branch,
        commit: event.data.commit,
        how: event.data.how,
        url: event.data.url ?? null,
      };
      return;
    case 'run.reopened':
      if (state.status.kind !== 'held') state.status = { kind: 'running' };
      for (const key of event.data.tasks) reopen(state, taskOf(state, key), at);
      return;
    case 'run.ended':
      state.status = { kind: 'ended', status: event.data.status, reason: event.data.reason, at };
      return;
    case 'tasks.added':
      for (const spec of event.data.specs) addTask(state, spec);
      return;
    case 'attempt.started':
      startAttempt(state, event, at);
      return;
    case 'attempt.spawned':
      attemptOf(state, event.data).process = event.data.process;
      return;
    case 'attempt.warned':
      attemptOf(state, event.data).warnings.push({ sign: event.data.sign, message: event.data.message, at });
      return;
    case 'attempt.used':
      attemptOf(state, event.data).usage = event.data.usage;
      return;
    case 'attempt.ended':
      endAttempt(state, event, at);
      return;
    case 'task.retrying':
      retryTask(state, event);
      return;
    case 'task.landing':
      enter(state, taskOf(state, event.data.task), {
        status: 'landing',
        commit: event.data.commit,
        ref: event.data.ref,
        approved: false,
      });
      return;
    case 'gate.ended':
      for (const key of event.data.tasks) recordEvidence(taskOf(state, key), event);
      if (event.data.evidence.verdict === 'pass') state.proven[proofKey(event.data.evidence)] = event.data.evidence;
      return;
    case 'task.conflicted':
      conflict(state, event);
      return;
    case 'task.held':
      hold(state, event);
      return;
    case 'task.approved':
      approve(state, event);
      return;
    case 'task.blocked': {
      const { reason, nextStep, landing } = event.data;
      enter(state, taskOf(state, event.data.task), { status: 'blocked', reason, nextStep, landing: landing ?? null });
      return;
    }
    case 'tasks.landed':
      state.tip = { commit: event.data.commit, tree: event.data.tree };
      for (const key of event.data.tasks) {
        const task = taskOf(state, key);
        finish(state, task, { status: 'done', at, commit: event.data.commit, reason: 'landed' });
      }
      return;
    case 'task.ended':
      endTask(state, event, at);
      return;
  }
}

function addTask(state: RunState, spec: TaskSpec): void {
  const missing = spec.needs.filter((need) => state.tasks[need]?.phase.status !== 'done').length;
  const task: TaskState = {
    ordinal: state.order.length + 1,
    spec,
    missing,
    attempts: [],
    counted: 0,
    free: 0,
    lesson: null,
    resume: false,
    from: null,
    evidence: [],
    phase: { status: 'waiting' },
  };
  state.tasks[spec.key] = task;
  state.order.push(spec.key);
  state.counts.waiting += 1;
  for (const need of spec.needs) {
    const dependents = state.dependents[need];
    if (dependents === undefined) state.dependents[need] = [spec.key];
    else dependents.push(spec.key);
  }
  if (missing === 0) makeReady(state, task, spec.notBefore ?? 0);
}

function retryTask(state: RunState, event: RunEventOf<'task.retrying'>): void {
  const { task: key, at, counted, resume, evidence, from, analysis } = event.data;
  const task = taskOf(state, key);
  if (counted) task.counted += 1;
  else task.free += 1;
  task.lesson = evidence === '' ? task.lesson : evidence;
  task.resume = resume;
  task.from = from ?? task.from;
  if (analysis === undefined) makeReady(state, task, at);
  else enter(state, task, { status: 'analyzing', analysis });
}

function recordEvidence(task: TaskState, event: RunEventOf<'gate.ended'>): void {
  const { evidence } = event.data;
  task.evidence = [...task.evidence.filter((old) => old.gate !== evidence.gate), evidence];
}

function conflict(state: RunState, event: RunEventOf<'task.conflicted'>): void {
  const task = taskOf(state, event.data.task);
  if (task.phase.status !== 'landing' && task.phase.status !== 'conflicted') return;
  const { resolver, onto, files } = event.data;
  enter(state, task, { status: 'conflicted', resolver, onto, files, commit: task.phase.commit });
}

function hold(state: RunState, event: RunEventOf<'task.held'>): void {
  const task = taskOf(state, event.data.task);
  const ref = task.phase.status === 'landing' ? task.phase.ref : '';
  enter(state, task, { status: 'held', hold: event.data.hold, commit: event.data.commit, ref });
}

function approve(state: RunState, event: RunEventOf<'task.approved'>): void {
  const task = taskOf(state, event.data.task);
  if (task.phase.status !== 'held') return;
  enter(state, task, { status: 'landing', commit: task.phase.commit, ref: task.phase.ref, approved: true });
}

function endTask(state: RunState, event: RunEventOf<'task.ended'>, at: number): void {
  const { task: key, status, reason, failure } = event.data;
  const task = taskOf(state, key);
  switch (status) {
    case 'done':
      finish(state, task, { status, at, commit: null, reason });
      return;
    case 'failed':
      finish(state, task, { status, at, reason, failure: failure ?? null });
      return;
    case 'skipped':
    case 'cancelled':
      finish(state, task, { status, at, reason });
      return;
  }
}

function reopen(state: RunState, task: TaskState, at: number): void {
  const { phase } = task;
  task.counted = 0;
  task.free = 0;
  if (phase.status === 'landing' || phase.status === 'running') return;
  if (phase.status === 'blocked' && phase.landing !== null) {
    enter(state, task, { status: 'landing', ...phase.landing, approved: false });
    return;
  }
  task.missing = task.spec.needs.filter((need) => state.tasks[need]?.phase.status !== 'done').length;
  if (task.missing === 0) makeReady(state, task, at);
  else enter(state, task, { status: 'waiting' });
}
