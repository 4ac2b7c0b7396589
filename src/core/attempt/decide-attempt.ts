import { AppError } from '../../errors.ts';
import { promptText } from '../../roles/prompt.ts';
import type { HealthSign } from '../../schema/config/health.ts';
import type { NetworkUse } from '../../schema/containment.ts';
import type { ProcessRecord, RunEvent, RunEventOf, SavedWork, UnsavedAttempt } from '../../schema/event.ts';
import type { Failure, FollowUp } from '../../schema/failure.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { RiskFlag } from '../../schema/risk.ts';
import type { WorkStart } from '../../schema/task.ts';
import type { Usage } from '../../schema/usage.ts';
import { settle } from '../land/decide-verification.ts';
import type { RuleDecision } from '../policy/decide-policy.ts';
import { endFailed } from '../run/end-tasks.ts';
import { pauseOnFailures } from '../run/pause.ts';
import { requirePhase, requireTask } from '../run/require.ts';
import type { AttemptState, RunState, TaskState } from '../run/state.ts';
import { unknownUsage } from '../schedule/budget.ts';
import { CRASHES_IN_A_ROW, candidatesFor } from '../schedule/route.ts';
import { followQuestion, undeliveredAnswers } from './decide-question.ts';
import { decideRetry, isCrash } from './decide-retry.ts';
import type { Warning } from './health.ts';
import { nextStepAfter } from './next-step.ts';
import { heldIfDenied, policyHold } from './policy-hold.ts';

/** What `attempt.started` records, without the number of the attempt. */
export type StartAttempt = Omit<RunEventOf<'attempt.started'>['data'], 'attempt'>;
export type EndAttempt = {
  task: TaskKey;
  attempt: number;
  usage: Usage;
  summary: string;
  saved?: SavedWork;
  session?: string;
  output?: unknown;
  failure?: Failure;
  flags?: RiskFlag[];
  network?: NetworkUse;
  follow?: FollowUp;
  /** What its agent wanted to do and a rule refuses, or wants a person to approve. */
  refused?: readonly RuleDecision[];
  /** Its work is finished but could not be saved or checked: it is concluded again, unless its task is withdrawn or repeated. */
  unsaved?: UnsavedAttempt;
  now: number;
};

const UNSAVED_STEP = 'then manyhands retry: the work is saved from its workspace, and the agent does not run again.';
const TRY_AGAIN: FollowUp = { action: 'retry', delayMs: 0, resume: false, free: false };

/** Claims a ready task for one agent; the claim is recorded before anything is started. */
export function startAttempt(state: RunState, command: StartAttempt): RunEvent[] {
  const task = requireTask(state, command.task);
  requirePhase(task, 'ready');
  if (state.status.kind !== 'running')
    throw new AppError('REFUSED', `Run ${state.start.run} is ${state.status.kind}`, { run: state.start.run });
  return [{ type: 'attempt.started', data: { ...command, attempt: task.attempts.length + 1 } }];
}

/** Records the process before it may start. */
export function recordSpawn(
  state: RunState,
  command: { task: TaskKey; attempt: number; process: ProcessRecord },
): RunEvent[] {
  requireCurrent(requireTask(state, command.task), command.attempt);
  return [{ type: 'attempt.spawned', data: command }];
}

/** Records what an attempt has consumed so far. */
export function recordUsage(state: RunState, command: { task: TaskKey; attempt: number; usage: Usage }): RunEvent[] {
  requireCurrent(requireTask(state, command.task), command.attempt);
  return [{ type: 'attempt.used', data: command }];
}

/** Warns once of each sign that an attempt may have a problem. */
export function warnOf(
  state: RunState,
  command: { task: TaskKey; attempt: number; warnings: readonly Warning[] },
): RunEvent[] {
  const { task, attempt, warnings } = command;
  const known = requireCurrent(requireTask(state, task), attempt).warnings;
  return warnings
    .filter(({ sign }) => known.every((warning) => warning.sign !== sign))
    .map(({ sign, message }) => ({ type: 'attempt.warned', data: { task, attempt, sign, message } }));
}

/** Dismisses a warning, also of an attempt that has ended; repeating it changes nothing. */
export function dismissWarning(
  state: RunState,
  what: { task: TaskKey; attempt: number; sign: HealthSign },
): RunEvent[] {
  const attempt = requireTask(state, what.task).attempts[what.attempt - 1];
  const warnings = (attempt?.warnings ?? []).filter(({ sign }) => sign === what.sign);
  if (warnings.length === 0)
    throw new AppError('REFUSED', `Attempt ${what.attempt} of ${what.task} has no warning "${what.sign}"`, {
      key: what.task,
    });
  return warnings.every(({ dismissed }) => dismissed) ? [] : [{ type: 'attempt.warning-dismissed', data: what }];
}

/** Ends an attempt: its work goes to landing, its text is the result, or its failure decides what follows. */
export function endAttempt(state: RunState, command: EndAttempt): RunEvent[] {
  const task = requireTask(state, command.task);
  const { usage: reported } = requireCurrent(task, command.attempt);
  const usage = command.usage.kind === 'unknown' ? unknownUsage(command.usage, reported) : command.usage;
  const isCancelled = state.status.kind === 'cancelling' || task.interrupt === 'cancel';
  return [...(isCancelled ? [] : undeliveredAnswers(task)), ...endAndFollow(state, task, { ...command, usage })];
}

function endAndFollow(state: RunState, task: TaskState, command: EndAttempt): RunEvent[] {
  const { follow: requested, now, failure: reported, unsaved, refused = [], ...rest } = command;
  const failure = reported ?? unresolvedConflict(task, command);
  const follow = reported === undefined ? TRY_AGAIN : requested;
  const data: RunEventOf<'attempt.ended'>['data'] = { ...rest, ...(failure === undefined ? {} : { failure }) };
  const ended: RunEvent = { type: 'attempt.ended', data };
  if (state.status.kind === 'cancelling') return [ended, ...cancelled(command.task, state.status.reason)];
  if (task.interrupt !== null) return [ended, ...afterInterrupt(state, task, { failure, now })];
  const hold = unsaved === undefined ? policyHold(state, { task: command.task, refused, failure }) : undefined;
  const commit = command.saved?.commit ?? requireCurrent(task, command.attempt).base;
  if (hold !== undefined) return [ended, { type: 'task.held', data: { task: command.task, hold, commit } }];
  const following = followQuestion(state, task, { failure, now });
  if (following !== undefined) return [{ type: 'attempt.ended', data: rest }, ...following];
  if (failure === undefined) return [ended, ...heldIfDenied(state, refused, afterSuccess(state, task, command))];
  if (unsaved !== undefined) {
    const remedy = failure.kind === 'disk-full' ? 'Free some disk space' : 'Fix the reported error';
    const nextStep = `${remedy}, ${UNSAVED_STEP}`;
    const data = { task: command.task, reason: failure.message, nextStep, unsaved };
    return [ended, { type: 'task.blocked', data }];
  }
  const pause = pauseOnFailures(state, task.spec.track, failure);
  return [ended, ...afterFailure(state, { task, failure, follow, now }), ...pause];
}

/** A person interrupted the attempt: another one follows whatever its result, and it is not counted. */
function afterInterrupt(
  state: RunState,
  { spec, interrupt, cancelReason }: TaskState,
  { failure, now }: { failure: Failure | undefined; now: number },
): RunEvent[] {
  if (interrupt === 'cancel') {
    const reason = cancelReason ?? 'cancelled';
    return [{ type: 'tasks.cancelled', data: { tasks: [spec.key], reason } }];
  }
  const isMessage = interrupt === 'message';
  const isOwn = failure !== undefined && failure.kind !== 'interrupted';
  const { commit } = state.tip;
  const data: RunEventOf<'task.retrying'>['data'] = {
    task: spec.key,
    at: now,
    counted: false,
    resume: isMessage && failure?.kind !== 'session-lost',
    evidence: isMessage && isOwn ? lessonOf(failure) : '',
    ...(isMessage ? {} : { from: { commit, base: commit } }),
  };
  return [{ type: 'task.retrying', data }];
}

/** What happens to a task whose attempt, landing or check failed. */
export function afterFailure(
  state: RunState,
  what: { task: TaskState; failure: Failure; follow: FollowUp | undefined; now: number; from?: WorkStart },
): RunEvent[] {
  const { task, failure, now } = what;
  const follow = retryInTrack(
    task,
    failure,
    switchAfterCrashes(state, task, failure) ?? what.follow ?? { action: 'fail' },
  );
  const decision = decideRetry(state, task, follow, now);
  const key = task.spec.key;
  switch (decision.kind) {
    case 'block': {
      const nextStep = nextStepAfter(state, task, failure);
      const data = { task: key, reason: decision.reason, nextStep, ...blockedLanding(task) };
      return [{ type: 'task.blocked', data }];
    }
    case 'give-up': {
      const reason = decision.reason === '' ? failure.message : `${failure.message} (${decision.reason})`;
      return endFailed(state, task, { reason, failure });
    }
    case 'retry': {
      const analysis = decision.analyze ? analysisOf(task, failure, decision.at) : undefined;
      const retrying: RunEvent = {
        type: 'task.retrying',
        data: {
          task: key,
          at: decision.at,
          counted: decision.counted,
          resume: decision.resume,
          evidence: decision.counted ? lessonOf(failure) : '',
          ...(what.from === undefined ? {} : { from: what.from }),
          ...(analysis === undefined ? {} : { analysis: analysis.data.specs[0]?.key ?? key }),
        },
      };
      return analysis === undefined ? [retrying] : [analysis, retrying];
    }
  }
}

/** In a track, a failure of the environment is retried once and then pauses the track, so that all of it continues once it is fixed; finished work that could not be checked waits instead. */
function retryInTrack({ spec, phase }: TaskState, failure: Failure, follow: FollowUp): FollowUp {
  if (
    spec.track === undefined ||
    phase.status !== 'running' ||
    failure.kind !== 'environment' ||
    follow.action !== 'block'
  )
    return follow;
  return { action: 'retry', delayMs: spec.retry.delayMs, resume: false, free: true };
}

/** Saved work that only waits to land is not done again after the block is resolved. */
function blockedLanding({ phase }: TaskState): { landing?: { commit: string; ref: string } } {
  return phase.status === 'landing' ? { landing: { commit: phase.commit, ref: phase.ref } } : {};
}

function requireCurrent(task: TaskState, number: number): AttemptState {
  const phase = requirePhase(task, 'running');
  const attempt = task.attempts[number - 1];
  if (attempt === undefined || phase.attempt !== number || attempt.ended !== null) {
    throw new AppError('REFUSED', `Attempt ${number} of ${task.spec.key} is not the current one`, {
      key: task.spec.key,
    });
  }
  return attempt;
}

/** A resolver that changed nothing has not resolved the conflict, whatever it claims. */
function unresolvedConflict(task: TaskState, command: EndAttempt): Failure | undefined {
  if (task.spec.resolves === undefined || command.saved?.changed) return undefined;
  return { kind: 'no-change', message: 'the resolver changed nothing, so the conflict remains' };
}

function afterSuccess(state: RunState, task: TaskState, command: EndAttempt): RunEvent[] {
  const key = task.spec.key;
  const { saved } = command;
  if (task.spec.verifies !== undefined) {
    const { output, summary, now } = command;
    const startedAt = task.attempts.at(-1)?.startedAt ?? now;
    const verdict = settle(state, task, { output, summary, now, startedAt });
    const passed = verdict.some((event) => event.type === 'task.verified' && event.data.passed);
    const reason = passed ? 'it passed' : 'it did not pass';
    return [{ type: 'task.ended', data: { task: key, status: 'done', reason } }, ...verdict];
  }
  if (task.spec.lands === false && saved?.changed)
    return [{ type: 'task.ended', data: { task: key, status: 'done', reason: 'its work is saved and does not land' } }];
  if (task.spec.access === 'write' && saved?.changed) {
    return [{ type: 'task.landing', data: { task: key, commit: saved.commit, ref: saved.ref } }];
  }
  const reason = saved?.changed ? 'it may only read: what it changed is saved and does not land' : 'nothing to land';
  return [{ type: 'task.ended', data: { task: key, status: 'done', reason } }];
}

function cancelled(task: TaskKey, reason: string): RunEvent[] {
  return [{ type: 'task.ended', data: { task, status: 'cancelled', reason } }];
}

function lessonOf(failure: Failure): string {
  return failure.evidence === undefined ? failure.message : `${failure.message}\n\n${failure.evidence}`;
}

function analysisOf(task: TaskState, failure: Failure, notBefore: number): RunEventOf<'tasks.added'> {
  const spec = {
    key: `analyze/${task.ordinal}.${task.attempts.length}`,
    title: `Why did "${task.spec.title.slice(0, 150)}" fail?`,
    role: 'analyze',
    needs: [],
    prompt: promptText('roles/sections/analyze-failure', { task: task.spec.prompt, failure: lessonOf(failure) }),
    access: 'read' as const,
    analyzes: task.spec.key,
    optional: true,
    notBefore,
    gates: [],
    retry: { ...task.spec.retry, policy: 'same' as const, attempts: 1 },
    limits: task.spec.limits,
    priority: task.spec.priority,
  };
  return { type: 'tasks.added', data: { specs: [spec] } };
}

/** After an agent crashed too often in a row another one gets the task, where there is one; this is not counted against the task. */
function switchAfterCrashes(state: RunState, task: TaskState, failure: Failure): FollowUp | undefined {
  const agent = task.attempts.at(-1)?.agent;
  if (agent === undefined || !isCrash(failure.kind)) return undefined;
  const times = (state.crashes[agent] ?? 0) + 1;
  if (times < CRASHES_IN_A_ROW) return undefined;
  const { config, agents, ranking, unable } = state.start;
  const crashes = { ...state.crashes, [agent]: times };
  const [next] = candidatesFor({
    config,
    agents,
    ranking,
    unable,
    crashes,
    role: task.spec.role,
    access: task.spec.access,
    agent: task.spec.agent,
    verification: task.spec.verify,
  });
  if (next === undefined || next === agent || Object.hasOwn(unable ?? {}, next)) return undefined;
  return { action: 'switch', limitedUntil: 0, reason: `${agent} crashed ${times} times in a row` };
}
