import type { RunEventOf, WorkspaceChanges } from '../../schema/event.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { TaskSpec } from '../../schema/task.ts';
import { concludeAgain } from '../attempt/fold-attempt.ts';
import type { KeptEvidence } from './evidence-output.ts';
import { holdIdAt, recordAnswer, type Stamp } from './holds.ts';
import { beginAtTip, enter, finish, makeReady, taskOf } from './phase.ts';
import type { RunState, TaskState } from './state.ts';

/** Adds a task; it is ready at once if everything that it needs is done. */
export function addTask(state: RunState, spec: TaskSpec): void {
  const missing = spec.needs.filter((need) => state.tasks[need]?.phase.status !== 'done').length;
  const task: TaskState = {
    ordinal: state.order.length + 1,
    spec,
    follows: state.lastEnded,
    missing,
    attempts: [],
    counted: 0,
    free: 0,
    lesson: null,
    resume: false,
    from: spec.from ?? null,
    messages: [],
    interrupt: null,
    verifications: 0,
    rounds: 0,
    report: null,
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

/** Queues a task for a retry, now, later, or after an analysis of its failure. */
export function retryTask(state: RunState, event: RunEventOf<'task.retrying'>): void {
  const { task: key, at, counted, resume, evidence, from, analysis } = event.data;
  const task = taskOf(state, key);
  markRejected(task, evidence);
  if (counted) task.counted += 1;
  else task.free += 1;
  task.lesson = evidence === '' ? task.lesson : evidence;
  task.resume = resume;
  task.from = from ?? task.from;
  if (analysis === undefined) makeReady(state, task, at);
  else enter(state, task, { status: 'analyzing', analysis });
}

/** Records on the last attempt why its work was not accepted; nothing if its agent failed by itself. */
function markRejected({ attempts }: TaskState, reason: string): void {
  const ended = attempts.at(-1)?.ended;
  const [line] = reason.trim().split('\n');
  if (ended == null || ended.failure !== null || line === undefined || line === '') return;
  ended.rejected = line;
}

/** Stores the latest evidence of a gate for a task. */
export function recordEvidence(task: TaskState, evidence: KeptEvidence): void {
  task.evidence = withLatest(task.evidence, evidence);
  delete task.earlierEvidence;
}

/** The evidence with that of one gate replaced. */
export function withLatest(all: readonly KeptEvidence[], latest: KeptEvidence): KeptEvidence[] {
  return [...all.filter(({ gate }) => gate !== latest.gate), latest];
}

/** Lets a task wait for the resolver of its conflict. */
export function conflictTask(state: RunState, event: RunEventOf<'task.conflicted'>): void {
  const task = taskOf(state, event.data.task);
  if (task.phase.status !== 'landing' && task.phase.status !== 'conflicted') return;
  const { resolver, onto, files } = event.data;
  enter(state, task, { status: 'conflicted', resolver, onto, files, commit: task.phase.commit });
}

/** Holds a task's work before it lands. */
export function holdTask(state: RunState, event: RunEventOf<'task.held'>): void {
  const task = taskOf(state, event.data.task);
  const ref = task.phase.status === 'landing' ? task.phase.ref : '';
  const hold = { ...event.data.hold, id: holdIdAt(state) };
  enter(state, task, { status: 'held', hold, commit: event.data.commit, ref });
}

/** Lets held work land. */
export function approveTask(state: RunState, event: RunEventOf<'task.approved'>, when: Stamp): void {
  const task = taskOf(state, event.data.task);
  if (task.phase.status !== 'held') return;
  const { note, option } = event.data;
  recordAnswer(state, task.phase.hold, { ...when, task: task.spec.key, choice: 'approve', note, option });
  enter(state, task, {
    status: 'landing',
    commit: task.phase.commit,
    ref: task.phase.ref,
    approved: true,
    verified: false,
  });
}

/** Ends a task that has nothing to land. */
export function endTask(state: RunState, event: RunEventOf<'task.ended'>, at: number): void {
  const { task: key, status, reason, failure } = event.data;
  const task = taskOf(state, key);
  switch (status) {
    case 'done':
      finish(state, task, { status, at, commit: null, reason });
      return;
    case 'failed':
      markRejected(task, reason);
      finish(state, task, { status, at, reason, failure: failure ?? null });
      return;
    case 'skipped':
    case 'cancelled':
      finish(state, task, { status, at, reason });
      return;
  }
}

/** Reopens a task with reset caps; work that only waits to land continues from there. */
export function reopen(
  state: RunState,
  task: TaskState,
  { at, changes }: { at: number; changes?: WorkspaceChanges | undefined },
): void {
  const { phase } = task;
  if (changes !== undefined) task.changes = changes;
  task.counted = 0;
  task.free = 0;
  task.rounds = 0;
  if (phase.status === 'landing' || phase.status === 'running') return;
  if (phase.status === 'blocked' && phase.landing !== null) {
    enter(state, task, { status: 'landing', ...phase.landing, approved: false, verified: false });
    return;
  }
  if (phase.status === 'blocked' && phase.unsaved !== undefined && concludeAgain(state, task, phase.unsaved)) return;
  countMissing(state, task);
  if (task.missing === 0) makeReady(state, task, at);
  else enter(state, task, { status: 'waiting' });
}

/** Lets a task's work wait for the verdict of another agent. */
export function proposeTask(state: RunState, event: RunEventOf<'task.proposed'>): void {
  const task = taskOf(state, event.data.task);
  if (task.phase.status !== 'landing') return;
  const { commit, ref, approved } = task.phase;
  task.verifications += 1;
  task.rounds += 1;
  const { verifier, candidate } = event.data;
  enter(state, task, { status: 'verifying', verifier, candidate, commit, ref, approved });
}

/** Verified work lands; for rejected work the next event decides what happens. */
export function verifyTask(state: RunState, event: RunEventOf<'task.verified'>): void {
  const task = taskOf(state, event.data.task);
  if (task.phase.status !== 'verifying') return;
  const { commit, ref, approved } = task.phase;
  task.report = event.data.passed ? null : event.data.report;
  if (event.data.passed) enter(state, task, { status: 'landing', commit, ref, approved, verified: true });
}

/** Invalidates done work: its evidence is stale, and it starts again from the current tip of the branch, or as another task. */
export function invalidate(state: RunState, keys: readonly TaskKey[], at: number): void {
  const [root] = keys;
  const again = keys.filter((key) => key === root || taskOf(state, key).spec.renewed !== true);
  for (const key of keys) {
    const task = taskOf(state, key);
    task.evidence = task.evidence.map((evidence) => ({ ...evidence, stale: true }));
    if (!state.invalidated.includes(key)) state.invalidated.push(key);
  }
  for (const key of again) {
    const task = taskOf(state, key);
    enter(state, task, { status: 'waiting' });
    task.resume = false;
    beginAtTip(state, task);
  }
  for (const key of again) {
    for (const dependent of state.dependents[key] ?? []) countMissing(state, taskOf(state, dependent));
  }
  for (const key of again) reopen(state, taskOf(state, key), { at });
}

function countMissing(state: RunState, task: TaskState): void {
  task.missing = task.spec.needs.filter((need) => state.tasks[need]?.phase.status !== 'done').length;
}

/** Records that a person rejected a task's work; the next event queues it for a retry with reset caps. */
export function rejectTask(state: RunState, event: RunEventOf<'task.rejected'>, when: Stamp): void {
  const task = taskOf(state, event.data.task);
  if (task.phase.status !== 'held') return;
  const { reason } = event.data;
  recordAnswer(state, task.phase.hold, { ...when, task: task.spec.key, choice: 'reject', note: reason });
  task.counted = 0;
  task.free = 0;
}

/** Withdraws tasks: one that runs ends with its attempt, every other one now. */
export function cancelTasks(state: RunState, event: RunEventOf<'tasks.cancelled'>, at: number): void {
  const { tasks, reason } = event.data;
  for (const key of tasks) {
    const task = taskOf(state, key);
    const isLive = task.phase.status === 'running' && task.attempts.at(-1)?.ended === null;
    if (isLive) {
      task.interrupt = 'cancel';
      task.cancelReason = reason;
    } else finish(state, task, { status: 'cancelled', at, reason, withdrawn: true });
  }
}

/** Changes a task that has not started; what it needs decides again whether it is ready. */
export function editTask(state: RunState, { task: key, needs, ...changes }: TaskChange): void {
  const task = taskOf(state, key);
  const { phase } = task;
  const before = phase.status === 'ready' ? phase.notBefore : (task.spec.notBefore ?? 0);
  const notBefore = changes.notBefore ?? before;
  const isReady = phase.status === 'ready';
  if (isReady) enter(state, task, { status: 'waiting' });
  if (needs !== undefined) replaceNeeds(state, task, needs);
  task.spec = { ...task.spec, ...definedOnly(changes) };
  if (isReady || needs !== undefined) {
    countMissing(state, task);
    if (task.missing === 0) makeReady(state, task, notBefore);
  }
}

/** Queues ready tasks of a priority in this order. */
export function reorderTasks(state: RunState, keys: readonly TaskKey[]): void {
  const named = new Set(keys);
  state.sequence = [...keys, ...state.sequence.filter((key) => !named.has(key))];
  for (const key of keys) {
    const task = taskOf(state, key);
    if (task.phase.status === 'ready') enter(state, task, { ...task.phase });
  }
}

type TaskChange = RunEventOf<'tasks.edited'>['data']['changes'][number];

function replaceNeeds(state: RunState, task: TaskState, needs: TaskKey[]): void {
  const key = task.spec.key;
  for (const need of task.spec.needs)
    state.dependents[need] = (state.dependents[need] ?? []).filter((dependent) => dependent !== key);
  for (const need of needs) state.dependents[need] = [...(state.dependents[need] ?? []), key];
  task.spec = { ...task.spec, needs };
}

function definedOnly(changes: Omit<TaskChange, 'task' | 'needs'>): Partial<TaskSpec> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}
