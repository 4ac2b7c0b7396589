import type { Origin } from '../../schema/actor.ts';
import type { RunEvent } from '../../schema/event.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { attemptOf, dismiss, endAttempt, startAttempt, warn } from '../attempt/fold-attempt.ts';
import { messageTask, requeueTask } from '../attempt/fold-interrupt.ts';
import { foldAnswered, foldAsked, foldDelivered } from '../attempt/fold-question.ts';
import { endCall, startCall } from '../models/fold-call.ts';
import { changeSettings } from './changed-settings.ts';
import { type KeptEvidence, keepEvidence } from './evidence-output.ts';
import {
  addTask,
  approveTask,
  cancelTasks,
  conflictTask,
  editTask,
  endTask,
  holdTask,
  invalidate,
  proposeTask,
  recordEvidence,
  rejectTask,
  reopen,
  reorderTasks,
  retryTask,
  verifyTask,
  withLatest,
} from './fold-tasks.ts';
import { holdIdAt, recordAnswer, type Stamp } from './holds.ts';
import { initialState } from './initial-state.ts';
import { enter, finish, taskOf } from './phase.ts';
import { type HoldAnswer, proofKey, type RunState } from './state.ts';
import { foldSubRun } from './sub-run.ts';

/** An event with its time and, where it is known, who caused it. */
export type RecordedEvent = { event: RunEvent; at: number; origin?: Origin | undefined };

/** The state after the event; changes the given state in place. The same events always give the same state. */
export function evolve(state: RunState | undefined, { event, at, origin }: RecordedEvent): RunState {
  if (event.type === 'run.started') return initialState(event, at);
  if (state === undefined) throw new Error(`The first event of a run must be run.started, not ${event.type}`);
  state.version += 1;
  state.updatedAt = at;
  apply(state, event, { at, origin });
  return state;
}

function apply(state: RunState, event: RunEvent, when: Stamp): void {
  const { at } = when;
  switch (event.type) {
    case 'run.started':
      return;
    case 'run.base-check-failed':
      state.baseFailures = [...(state.baseFailures ?? []), event.data.evidence];
      return;
    case 'run.base-checked':
      state.baseEvidence = event.data.evidence;
      state.tip.tree ??= event.data.tree;
      for (const evidence of event.data.evidence) {
        if (evidence.verdict === 'pass') state.proven[proofKey(evidence)] = evidence;
      }
      return;
    case 'run.held':
      state.status = { kind: 'held', hold: { ...event.data.hold, id: holdIdAt(state) } };
      return;
    case 'run.approved':
      answerRun(state, { ...when, choice: 'approve', note: event.data.note, option: event.data.option });
      return;
    case 'run.rejected':
      answerRun(state, { ...when, choice: 'reject', note: event.data.reason });
      return;
    case 'run.titled':
      state.start = { ...state.start, title: event.data.title };
      return;
    case 'run.call-refused':
      state.refusedCalls = (state.refusedCalls ?? 0) + 1;
      return;
    case 'subrun.started':
    case 'subrun.changed':
    case 'subrun.ended':
      foldSubRun(state, event, at);
      return;
    case 'call.started':
      startCall(state, event, at);
      return;
    case 'call.ended':
      endCall(state, event, at);
      return;
    case 'run.limited':
      state.maxParallel = event.data.agents;
      return;
    case 'run.settings-changed':
      changeSettings(state, event);
      return;
    case 'run.cancelling':
      state.status = { kind: 'cancelling', reason: event.data.reason, force: event.data.force ?? false };
      return;
    case 'run.rewound':
      state.tip = { commit: event.data.commit, tree: event.data.tree };
      return;
    case 'run.caught-up':
      startFromCurrentBase(state, event.data);
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
        tip: event.data.tip ?? null,
        ...pullRequestsOf(state.landed, event.data),
      };
      state.undone = null;
      return;
    case 'run.undone':
      state.undone = { branch: event.data.branch, commit: event.data.commit, at };
      return;
    case 'run.branch-removed':
      state.pushed = null;
      return;
    case 'run.wrapping-up':
      state.wrapUp = event.data.reason;
      return;
    case 'run.reopened':
      delete state.wrapUp;
      if (state.status.kind !== 'held') state.status = { kind: 'running' };
      state.crashes = {};
      for (const key of event.data.tasks) reopen(state, taskOf(state, key), { at, changes: event.data.changes });
      return;
    case 'run.paused':
      state.paused[event.data.track ?? ''] = event.data.reason;
      return;
    case 'run.unpaused':
      unpause(state, event.data.track);
      return;
    case 'tasks.invalidated':
      state.status = { kind: 'running' };
      invalidate(state, event.data.tasks, at);
      return;
    case 'run.ended':
      state.status = { kind: 'ended', status: event.data.status, reason: event.data.reason, at };
      if (event.data.network !== undefined) state.network = [...(state.network ?? []), ...event.data.network];
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
      warn(attemptOf(state, event.data), event, at);
      return;
    case 'attempt.warning-dismissed':
      dismiss(attemptOf(state, event.data), event);
      return;
    case 'task.messaged':
      messageTask(state, event, at);
      return;
    case 'task.asked':
      foldAsked(state, event, at);
      return;
    case 'task.answered':
      foldAnswered(state, event, when);
      return;
    case 'task.answer-delivered':
      foldDelivered(state, event);
      return;
    case 'task.requeued':
      requeueTask(state, event, at);
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
        verified: false,
      });
      return;
    case 'task.proposed':
      proposeTask(state, event);
      return;
    case 'task.verified':
      verifyTask(state, event);
      return;
    case 'gate.ended':
      recordGate(state, event.data.tasks, keepEvidence(event.data.evidence, state.version));
      return;
    case 'task.conflicted':
      conflictTask(state, event);
      return;
    case 'task.held':
      holdTask(state, event);
      return;
    case 'task.approved':
      approveTask(state, event, when);
      return;
    case 'task.rejected':
      rejectTask(state, event, when);
      return;
    case 'tasks.cancelled':
      cancelTasks(state, event, at);
      return;
    case 'tasks.edited':
      for (const change of event.data.changes) editTask(state, change);
      return;
    case 'tasks.reordered':
      reorderTasks(state, event.data.tasks);
      return;
    case 'task.prioritized':
      editTask(state, event.data);
      return;
    case 'task.blocked': {
      const { reason, nextStep, landing, unsaved } = event.data;
      enter(state, taskOf(state, event.data.task), {
        status: 'blocked',
        reason,
        nextStep,
        landing: landing ?? null,
        ...(unsaved === undefined ? {} : { unsaved }),
      });
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

function recordGate(state: RunState, tasks: readonly TaskKey[], evidence: KeptEvidence): void {
  for (const key of tasks) recordEvidence(taskOf(state, key), evidence);
  if (tasks.length === 0) state.landingEvidence = withLatest(state.landingEvidence, evidence);
  if (evidence.verdict === 'pass') state.proven[proofKey(evidence)] = evidence;
  if (evidence.verdict === 'fail') delete state.proven[proofKey(evidence)];
}

/** The run continues from the current base; if that contains the whole run branch, the landing still counts. */
function startFromCurrentBase(
  state: RunState,
  { base, commit, tree }: { base: string; commit: string; tree: string },
): void {
  state.start = { ...state.start, base: { ...state.start.base, commit: base } };
  state.tip = { commit, tree };
  if (state.landed !== null && commit === base) state.landed = { ...state.landed, tip: commit };
}

/** A resumed track starts with no counted environment failures; resuming the run resets all tracks. */
function unpause(state: RunState, track: string | undefined): void {
  for (const name of track === undefined ? Object.keys(state.paused) : [track]) {
    delete state.paused[name];
    delete state.environmentFailures[name];
  }
}

function answerRun(
  state: RunState,
  answer: Stamp & { choice: HoldAnswer['choice']; note: string | undefined; option?: string | undefined },
): void {
  if (state.status.kind === 'held') recordAnswer(state, state.status.hold, { ...answer, task: null });
  state.status = { kind: 'running' };
}

/** The pull requests of one tip are recorded one by one. */
function pullRequestsOf(
  before: RunState['landed'],
  { url, commit, tip }: { url?: string | undefined; commit: string; tip?: string | undefined },
): { pullRequests?: { url: string; commit: string }[] } {
  if (url === undefined) return {};
  const same = before?.tip != null && before.tip === tip ? (before.pullRequests ?? []) : [];
  return { pullRequests: [...same.filter((known) => known.url !== url), { url, commit }] };
}
