import { join } from 'node:path';
import { type EndAttempt, endAttempt } from '../../core/attempt/decide-attempt.ts';
import { softOutputBytes } from '../../core/attempt/health.ts';
import { fileKind } from '../../core/finish/file-kind.ts';
import { type Redact, redactValue } from '../../core/redact.ts';
import { type AttemptState, lastAttempt, type TaskState } from '../../core/run/state.ts';
import { accountName, limitAccount, limitedAccount } from '../../core/schedule/account.ts';
import { isOfMachine } from '../../core/schedule/host-of-task.ts';
import { AppError, messageOf } from '../../errors.ts';
import { addedLines } from '../../git/read/diff.ts';
import { listFiles } from '../../git/read/list-files.ts';
import { outputText } from '../../process/output-text.ts';
import type { NetworkUse } from '../../schema/containment.ts';
import type { RunEvent, SavedWork } from '../../schema/event.ts';
import type { Failure, FollowUp } from '../../schema/failure.ts';
import { accountStream, attemptId } from '../../schema/ids.ts';
import type { RiskFlag } from '../../schema/risk.ts';
import { isStoreFailure } from '../../store/ledger.ts';
import type { Write } from '../../store/store.ts';
import { crashpoint } from '../../world.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { attemptFolder, removeRawOutput } from './assignment.ts';
import { nextSave, saveAttemptWorkspace } from './attempt-workspace.ts';
import { type Inspection, inspectWork, judgeAttempt } from './inspect-work.ts';
import { endAgentNetwork } from './network.ts';
import { changesByPolicy } from './policy-findings.ts';
import type { Outcome } from './supervise.ts';
import { changedFiles, noteUnlockedEdits } from './unlocked-edits.ts';
import type { AttemptWorkspace } from './workspace-of-task.ts';

export type EndedAttempt = {
  task: TaskState;
  attempt: AttemptState;
  workspace: AttemptWorkspace | undefined;
  outcome: Outcome;
  /** Its host saved the work and closed the network, where one performed it. */
  remote?: { saved: SavedWork | undefined; network: NetworkUse | undefined };
  /** Its agent ran, but its outcome could not be read: that is read again before another attempt costs money. */
  isUnread?: boolean;
};

/** The progress of a conclusion, and its last error. */
type Progress = { saved?: SavedWork; error?: unknown };

/** The delays before each try to conclude; a lock is usually released by then. */
const CONCLUDE_DELAYS_MS = [0, 100, 1_000, 3_000];
/** How long a host on which nothing can begin gets no attempts of an agent. */
const HOST_PAUSE_MS = 600_000;
/** Length of the agent's final message in the event; the transcript has all of it. */
const SUMMARY_CHARS = 4_000;

/** Saves and checks the work of an attempt and records its end; after repeated failures the task waits as finished and not yet saved. */
export async function concludeAttempt(ctx: EngineContext, run: ActiveRun, ended: EndedAttempt): Promise<void> {
  const progress: Progress = {};
  for (const delayMs of CONCLUDE_DELAYS_MS) {
    // An engine that stops, or a run that is cancelled, does not wait: it only tries.
    if (delayMs > 0) await ctx.world.sleep(delayMs, AbortSignal.any([ctx.stopping, run.cancel.signal])).catch(() => {});
    try {
      return await conclude(ctx, run, withCancellation(run, ended), progress);
    } catch (error) {
      if (isStoreFailure(error) || (ended.workspace ?? ended.remote) === undefined) throw error;
      progress.error = error;
      // Its size does not change by trying again.
      if (error instanceof AppError && error.code === 'WORK_TOO_LARGE') break;
    }
  }
  // The next engine adopts the attempt, and concludes it.
  if (ctx.stopping.aborted) return;
  await recordUnsaved(ctx, run, ended, progress);
}

async function conclude(ctx: EngineContext, run: ActiveRun, ended: EndedAttempt, progress: Progress): Promise<void> {
  const { task, attempt, outcome } = ended;
  using step = ctx.activities.begin({ run, tasks: [task.spec.key] }, { kind: 'attempt', what: 'saves the work' });
  const saved = await save(run, ended);
  if (saved !== undefined) progress.saved = saved;
  crashpoint('attempt.saved');
  const { failure: claimed } = outcome.result;
  const reported = claimed && (await withCriticalPattern(ctx, run, ended, claimed));
  const certain = outcome.stopped ?? (outcome.isEndUnknown ? undefined : reported);
  const byPolicy = await changesByPolicy(run, { task, attempt, saved });
  const work = certain ?? byPolicy.failure ?? (await judgeAttempt(ctx, run, { task, outcome, saved }));
  const judged = outcome.isEndUnknown && work !== undefined ? (certain ?? reported) : work;
  const inspection = await inspectWork(ctx, run, { task, attempt, saved, failure: judged, step });
  if (inspection.failure?.kind === 'environment') throw new Error(inspection.failure.message);
  const found = judged ?? inspection.failure;
  const failure = found === undefined ? undefined : withoutSecrets(found, run.redact);
  const changed = await changedFiles(run, ended, saved);
  await noteUnlockedEdits(ctx, run, { task, attempt, changed });
  const flags = await flagsOf(ctx, run, ended, { saved, failure, inspection, changed });
  await recordEnd(ctx, run, ended, {
    events: inspection.events,
    ...(saved === undefined ? {} : { saved }),
    ...(failure === undefined ? {} : { failure }),
    ...(flags.length === 0 ? {} : { flags }),
    ...(ended.isUnread ? { unsaved: {} } : {}),
    refused: [...(outcome.digest?.refused ?? []), ...byPolicy.toApprove],
  });
}

/** The work of a run that is being cancelled is saved, but not inspected. */
function withCancellation(run: ActiveRun, ended: EndedAttempt): EndedAttempt {
  if (!run.cancel.signal.aborted || ended.outcome.stopped !== undefined) return ended;
  const stopped: Failure = { kind: 'interrupted', message: 'The run was cancelled' };
  return { ...ended, outcome: { ...ended.outcome, stopped } };
}

async function recordUnsaved(
  ctx: EngineContext,
  run: ActiveRun,
  ended: EndedAttempt,
  { saved, error }: Progress,
): Promise<void> {
  const isFull = error instanceof AppError && error.code === 'NO_SPACE';
  const state =
    saved === undefined
      ? `Its work is finished, not yet saved, and kept in ${ended.workspace?.path ?? 'its workspace'}`
      : `Its work is finished and saved as ${saved.ref}, but could not be checked`;
  const message = `${state}: ${messageOf(error)}`;
  const failure = withoutSecrets({ kind: isFull ? 'disk-full' : 'environment', message }, run.redact);
  const { stopped } = ended.outcome;
  await recordEnd(ctx, run, ended, {
    events: [],
    failure,
    unsaved: stopped === undefined ? {} : { stopped },
    ...(saved === undefined ? {} : { saved }),
  });
}

async function recordEnd(
  ctx: EngineContext,
  run: ActiveRun,
  { task, attempt, outcome, remote }: EndedAttempt,
  end: { events: RunEvent[] } & Pick<EndAttempt, 'saved' | 'failure' | 'flags' | 'unsaved' | 'refused'>,
): Promise<void> {
  const now = ctx.world.now();
  const { events, failure, ...rest } = end;
  // An agent over its spending cap is passed over, and the task is not counted as failed.
  const isOverCap = outcome.isOverCap === true && failure?.kind === 'budget';
  const overCap: FollowUp = { action: 'switch', limitedUntil: 0, reason: 'its agent is over its spending cap' };
  const usual = failure && ctx.implementations.followUp(failure, { attempt: attempt.number, now });
  const machine = machineFailure(ctx, run, { task, attempt, failure });
  const follow = isOverCap ? overCap : (machine.follow ?? usual);
  const { usage, session, text, output } = outcome.result;
  const name = attemptId(run.id, task.ordinal, attempt.number);
  const network = remote?.network ?? (await endAgentNetwork(ctx, name));
  const releases = ctx.coordination.releasesOf(name, run.project.id);
  await ctx.submit(
    run,
    (state) => [
      ...events,
      ...endAttempt(state, {
        task: task.spec.key,
        attempt: attempt.number,
        usage,
        summary: run.redact(text).slice(0, SUMMARY_CHARS),
        now,
        ...rest,
        ...(session === undefined ? {} : { session }),
        ...(network === undefined ? {} : { network }),
        ...(output === undefined ? {} : { output: redactValue(output, run.redact) }),
        ...(failure === undefined ? {} : { failure }),
        ...(follow === undefined ? {} : { follow: withDelay(follow, task) }),
      }),
    ],
    {
      also: [...accountLimits(run, { attempt, outcome, failure, follow }), ...machine.limits, ...releases],
      // One whose work could not be checked is concluded again, from the same report.
      finished: attempt.host === undefined || rest.unsaved !== undefined ? undefined : name,
    },
  ).committed;
  crashpoint('attempt.ended');
  if (rest.unsaved === undefined) await removeRawOutput(attemptFolder(ctx, run, task, attempt.number));
}

/** A failure whose error channel matches one of the user's critical patterns means that the environment is broken. */
export async function withCriticalPattern(
  ctx: EngineContext,
  run: ActiveRun,
  { task, attempt }: Pick<EndedAttempt, 'task' | 'attempt'>,
  failure: Failure,
): Promise<Failure> {
  const { criticalPatterns } = run.ledger.state.start.config;
  if (criticalPatterns.length === 0) return failure;
  const stderr = await outputText(join(attemptFolder(ctx, run, task, attempt.number), 'stderr')).catch(() => '');
  const found = criticalPatterns.find(({ pattern }) => new RegExp(pattern).test(stderr));
  if (found === undefined) return failure;
  return { ...failure, kind: 'environment', message: `${found.label}: ${failure.message}` };
}

/** The risks of the attempt: from what it did and changed, never from what it claims. */
async function flagsOf(
  ctx: EngineContext,
  run: ActiveRun,
  { task, attempt, outcome }: EndedAttempt,
  end: { saved: SavedWork | undefined; failure: Failure | undefined; inspection: Inspection; changed: string[] },
): Promise<RiskFlag[]> {
  const { digest, result, model, stopped } = outcome;
  if (digest === undefined) return [];
  const { saved, changed } = end;
  const programs = changed.filter((path) => fileKind(path) === 'source' || fileKind(path) === 'test');
  const context = {
    digest,
    changed,
    added: await addedLines(run.project.mirror, { from: attempt.base, to: saved?.commit ?? attempt.base }, programs),
    inspected: end.inspection,
    claimedSuccess: end.failure === undefined,
    stoppedBy: stopped?.kind,
    softOutputBytes: softOutputBytes(task.spec.limits),
    untrusted: await untrustedSettings(run, attempt),
    declaredModel: model,
    billedModel: result.usage.kind === 'known' ? result.usage.model : undefined,
    answeredBy: result.answeredBy ?? [],
  };
  return ctx.implementations.findRisks(context, run.ledger.state.start.config.risks);
}

/** Settings files of the base that the agent always obeys and that are not trusted. */
async function untrustedSettings(run: ActiveRun, { agent, base }: AttemptState): Promise<string[]> {
  const obeyed = run.agents.get(agent)?.obeys ?? [];
  if (obeyed.length === 0) return [];
  const isObeyed = (path: string) =>
    obeyed.some((name) => (name.endsWith('/') ? path.startsWith(name) : path === name));
  const files = await listFiles(run.project.mirror, base);
  return files.flatMap(({ path }) => (isObeyed(path) && run.config.trust[path] === undefined ? [path] : []));
}

/** A failure as it is recorded. */
export function withoutSecrets(failure: Failure, redact: Redact): Failure {
  const { message, evidence } = failure;
  return { ...failure, message: redact(message), ...(evidence === undefined ? {} : { evidence: redact(evidence) }) };
}

async function save(run: ActiveRun, ended: EndedAttempt): Promise<SavedWork | undefined> {
  const { task, attempt, workspace, outcome, remote } = ended;
  if (workspace === undefined) return remote?.saved;
  const save = await nextSave(run, task, attempt.number);
  const summary = run.redact(outcome.result.text);
  return saveAttemptWorkspace(run, task, workspace, { number: attempt.number, save, summary });
}

/** The longer of the task's own delay and the failure's; an interruption has no delay. */
function withDelay(follow: FollowUp, task: TaskState): FollowUp {
  if (follow.action !== 'retry' || follow.free) return follow;
  return { ...follow, delayMs: Math.max(follow.delayMs, task.spec.retry.delayMs) };
}

type OnHost = { task: TaskState; attempt: AttemptState; failure: Failure | undefined };

/** A host on which an attempt could not begin costs the task nothing while another one can perform it; after several such failures in a row it gets none for a while. */
function machineFailure(
  ctx: EngineContext,
  run: ActiveRun,
  { task, attempt, failure }: OnHost,
): { follow?: FollowUp; limits: Write[] } {
  const { hosts } = ctx;
  const { agent, account, host } = attempt;
  const current = run.ledger.state.tasks[task.spec.key];
  if (hosts === undefined || host === undefined || current === undefined) return { limits: [] };
  const couldBegin = lastAttempt(current)?.process != null || !isOfMachine(failure?.kind);
  const isToPause = hosts.noteEnd(host, couldBegin);
  if (couldBegin) return { limits: [] };
  const reason = `The host ${host} could not begin several attempts in a row`;
  const limit = { until: ctx.world.now() + HOST_PAUSE_MS, reason, family: undefined };
  const stream = accountStream(`${accountName(agent, account)}@${host}`);
  const limits = isToPause ? [{ stream, expected: -1, events: limitAccount(limit, undefined) }] : [];
  if (!hosts.isPossibleElsewhere(run, current)) return { limits };
  return { follow: { action: 'retry', delayMs: 0, resume: false, free: true }, limits };
}

type LimitedAttempt = {
  attempt: AttemptState;
  outcome: Outcome;
  failure: Failure | undefined;
  follow: FollowUp | undefined;
};

/** A rate limit of a provider applies to every run until it ends. */
function accountLimits(run: ActiveRun, { attempt, outcome, failure, follow }: LimitedAttempt): Write[] {
  if (follow?.action !== 'switch' || follow.limitedUntil === 0) return [];
  const stream = accountStream(limitedAccount(run.ledger.state.start.config, attempt));
  const limit = { until: follow.limitedUntil, reason: follow.reason, family: failure?.family };
  return [{ stream, expected: -1, events: limitAccount(limit, outcome.model) }];
}
