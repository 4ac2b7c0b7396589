import { existsSync } from 'node:fs';
import type { Agent } from '../../agents/agent.ts';
import { recordSpawn } from '../../core/attempt/decide-attempt.ts';
import type { AttemptState, TaskState } from '../../core/run/state.ts';
import { AppError, messageOf } from '../../errors.ts';
import { liveness } from '../../process/identity.ts';
import { launch } from '../../process/launch.ts';
import { terminate } from '../../process/terminate.ts';
import type { ProcessRecord } from '../../schema/event.ts';
import type { Failure } from '../../schema/failure.ts';
import { attemptId } from '../../schema/ids.ts';
import type { TaskLimits } from '../../schema/task.ts';
import { Usage } from '../../schema/usage.ts';
import { isStoreFailure } from '../../store/ledger.ts';
import { leasePorts } from '../../workspaces/ports.ts';
import { crashpoint } from '../../world.ts';
import { type Execution, IN_ENGINE } from '../hosts/execution.ts';
import { recordFailedSetup } from '../land/evidence.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { type Application, endApplication, startApplication } from './application.ts';
import { assignmentFor, attemptFolder, writePrompt } from './assignment.ts';
import { recordMessages } from './attempt-output.ts';
import type { OpenTools } from './attempt-tools.ts';
import { attemptWorkspaceOf, prepareAttemptWorkspace } from './attempt-workspace.ts';
import { concludeAttempt } from './conclude-attempt.ts';
import { resourcesOf } from './containment.ts';
import { programOf } from './interactive-attempt.ts';
import { interruptible } from './interrupt-attempt.ts';
import { adoptUnrecorded, writeLaunchRecord } from './launch-record.ts';
import { adoptAgentNetwork } from './network.ts';
import { GRACE_MS, type Outcome, type StartedAttempt, supervise } from './supervise.ts';
import type { AttemptWorkspace } from './workspace-of-task.ts';

const NOT_STARTED = { result: { usage: { kind: 'none' }, text: '' }, digest: undefined, model: undefined } as const;
const UNKNOWN_RESULT = { ...NOT_STARTED, result: { usage: { kind: 'unknown' }, text: '' } } as const;

/** The most raw output that may be on disk while an attempt with truncated output runs. */
const MAX_RAW_BYTES = 1024 * 1024 * 1024;
const RAW_MARGIN_BYTES = 1024 * 1024;

/** Performs one claimed attempt, from its workspace to its recorded end. Never throws for anything an agent can do. */
export async function performAttempt(
  ctx: EngineContext,
  run: ActiveRun,
  task: TaskState,
  how: Execution = IN_ENGINE,
): Promise<void> {
  const attempt = currentAttempt(task);
  crashpoint('attempt.claimed');
  const adopted = await adoptUnrecorded(ctx, run, task, attempt);
  if (adopted !== undefined) return adoptAttempt(ctx, run, adopted);
  using interrupted = interruptible(run, task);
  const signal = AbortSignal.any([ctx.stopping, run.cancel.signal, interrupted.signal]);
  let started: { workspace: AttemptWorkspace; outcome: Omit<Outcome, 'stopped'> } | undefined;
  try {
    const of = { run, tasks: [task.spec.key] };
    using step = ctx.activities.begin(of, { kind: 'workspace', what: 'creates the workspace' });
    const workspace = await prepareAttemptWorkspace(ctx, run, task, { signal, step });
    const agent = requireAgent(run, attempt);
    requireLogin(run, attempt);
    const token = ctx.world.token();
    if (task.spec.serve !== undefined) step.update({ kind: 'attempt', what: 'starts the application' });
    await using application = await applicationFor(ctx, run, { task, attempt, workspace: workspace.path, signal });
    const appUrl = application?.url;
    const { ports } = run.ledger.state.start.config;
    using lease = await leasePorts(task.spec.access === 'write' ? ports.perTask : 0, ports);
    await using tools = await openTools(ctx, run, { task, attempt });
    const assigning = {
      task,
      attempt,
      agent,
      workspace: workspace.path,
      token,
      tools,
      ports: lease.ports,
      ...(application === null ? {} : { appUrl: application.url, appPort: application.port }),
    };
    const assignment = await assignmentFor(ctx, run, assigning);
    const memory = await how.memory(ctx, run, { task, attempt: assignment.attempt, session: assignment.session });
    const shown = appUrl === undefined ? {} : { appUrl };
    const progress = await how.progress(run);
    await writePrompt(run, task, { assignment, memory, progress, capabilities: agent.capabilities, ...shown });
    await recordMessages(ctx, run, { task, attempt });
    signal.throwIfAborted();
    const process = await start(ctx, run, { task, attempt, agent, assignment, token });
    step[Symbol.dispose]();
    started = { workspace, outcome: UNKNOWN_RESULT };
    const interrupt = interrupted.signal;
    const outcome = await superviseToEnd(ctx, run, { task, attempt, agent, assignment, process, interrupt });
    if (outcome === undefined) return;
    started = {
      workspace,
      outcome: { ...UNKNOWN_RESULT, result: { usage: outcome.result.usage, text: outcome.result.text } },
    };
    await how.conclude(ctx, run, { task, attempt, workspace, outcome });
  } catch (error) {
    if (isStoreFailure(error)) throw error;
    if (isFailedVerification(task, error)) {
      const summary = error.message;
      const result = { ...NOT_STARTED.result, text: summary, output: { steps: [], verdict: 'fail', summary } };
      const outcome = { ...NOT_STARTED, result, stopped: undefined };
      return how.conclude(ctx, run, { task, attempt, workspace: undefined, outcome });
    }
    if (started !== undefined && isLeftToNext(ctx, run)) return;
    // The work of an agent that ran is saved and its usage charged, whatever failed afterwards.
    const { workspace, outcome } = started ?? { workspace: undefined, outcome: NOT_STARTED };
    const stopped = failureOf(error, signal);
    const isUnread = started !== undefined && stopped.kind !== 'interrupted';
    await recordFailedSetup(ctx, run, { task: task.spec.key, commit: attempt.base, error });
    await how.conclude(ctx, run, { task, attempt, workspace, outcome: { ...outcome, stopped }, isUnread });
  }
}

/** Continues an attempt that an earlier engine started: supervises a running agent, collects the result of one that ended. */
export async function adoptAttempt(ctx: EngineContext, run: ActiveRun, task: TaskState): Promise<void> {
  const attempt = currentAttempt(task);
  const { process } = attempt;
  crashpoint('attempt.adopting');
  if (process === null) {
    if (task.spec.serve !== undefined) await endApplication(ctx, run, task, attempt.number);
    const stopped: Failure = { kind: 'interrupted', message: 'The engine ended before the agent was started' };
    return concludeAttempt(ctx, run, { task, attempt, workspace: undefined, outcome: { ...NOT_STARTED, stopped } });
  }
  const unsaved = task.phase.status === 'running' ? task.phase.unsaved : undefined;
  const folder = attemptFolder(ctx, run, task, attempt.number);
  if (unsaved === undefined && !existsSync(folder)) {
    const stopped: Failure = { kind: 'interrupted', message: 'The server that ran its agent does not lead any more' };
    const usage = Usage.safeParse(ctx.store.usage(attemptId(run.id, task.ordinal, attempt.number))).data;
    const outcome = { ...UNKNOWN_RESULT, ...(usage === undefined ? {} : { result: { usage, text: '' } }), stopped };
    return concludeAttempt(ctx, run, { task, attempt, workspace: undefined, outcome });
  }
  using interrupted = interruptible(run, task);
  let workspace: AttemptWorkspace | undefined;
  try {
    workspace = await attemptWorkspaceOf(ctx, run, task);
    if (task.spec.serve !== undefined && unsaved === undefined) {
      await endApplication(ctx, run, task, attempt.number);
      throw new AppError('APP_NOT_READY', 'The engine ended, and with it the application that was inspected');
    }
    const agent = requireAgent(run, attempt);
    await using tools = unsaved === undefined ? await openTools(ctx, run, { task, attempt }) : undefined;
    const assigning = { task, attempt, agent, workspace: workspace.path, token: process.token, tools };
    const assignment = await assignmentFor(ctx, run, assigning);
    await adoptAgentNetwork(ctx, run, { agent, assignment });
    const interrupt = interrupted.signal;
    const outcome = await superviseToEnd(ctx, run, { task, attempt, agent, assignment, process, interrupt });
    if (outcome === undefined) return;
    const stopped = outcome.stopped ?? afterRetry(unsaved?.stopped);
    await concludeAttempt(ctx, run, { task, attempt, workspace, outcome: { ...outcome, stopped } });
  } catch (error) {
    if (isStoreFailure(error)) throw error;
    if (ctx.leaving.aborted && task.spec.serve === undefined) return;
    // An agent that cannot be supervised must not continue: it is ended, its work is saved, and its usage is charged.
    await terminate({ ...process, folder }, { graceMs: GRACE_MS });
    if (task.spec.serve === undefined && isLeftToNext(ctx, run)) return;
    const failure = failureOf(error, AbortSignal.any([ctx.stopping, run.cancel.signal]));
    const stopped = task.spec.serve === undefined ? failure : { ...failure, kind: 'interrupted' as const };
    const isUnread = workspace !== undefined && stopped.kind !== 'interrupted';
    await concludeAttempt(ctx, run, { task, attempt, workspace, outcome: { ...UNKNOWN_RESULT, stopped }, isUnread });
  }
}

/** Whether the next engine reads from the agent's own records whether it had ended, because this one could not and ends. */
function isLeftToNext(ctx: EngineContext, run: ActiveRun): boolean {
  return (ctx.leaving.aborted || ctx.stopping.aborted) && !run.cancel.signal.aborted;
}

/** The tools of an attempt, where the settings give agents any. */
async function openTools(
  ctx: EngineContext,
  run: ActiveRun,
  { task, attempt }: { task: TaskState; attempt: AttemptState },
): Promise<OpenTools | undefined> {
  if (!run.ledger.state.start.config.tools.coordination) return undefined;
  const { key, access } = task.spec;
  const folder = attemptFolder(ctx, run, task, attempt.number);
  const id = attemptId(run.id, task.ordinal, attempt.number);
  return ctx.coordination.tools?.open({ id, run: run.id, task: key, attempt: attempt.number, access, folder });
}

/** Why an attempt was stopped whose conclusion a person requested again: with free disk space the task continues. */
function afterRetry(stopped: Failure | undefined): Failure | undefined {
  return stopped?.kind === 'disk-full' ? { ...stopped, kind: 'interrupted' } : stopped;
}

/** Supervises an agent; where that fails, the agent is ended, and what it wrote is read again, so that its result and usage count. */
async function superviseToEnd(
  ctx: EngineContext,
  run: ActiveRun,
  started: Parameters<typeof supervise>[2],
): ReturnType<typeof supervise> {
  try {
    return await supervise(ctx, run, started);
  } catch (error) {
    if (isStoreFailure(error) || ctx.leaving.aborted) throw error;
    const { process, assignment } = started;
    const hadEnded = liveness(process.identity) === 'gone';
    await terminate({ ...process, folder: assignment.folder }, { graceMs: GRACE_MS });
    const outcome = await supervise(ctx, run, started);
    if (outcome === undefined || hadEnded) return outcome;
    return {
      ...outcome,
      stopped: outcome.stopped ?? failureOf(error, AbortSignal.any([ctx.stopping, run.cancel.signal])),
    };
  }
}

/** The application that the task inspects, where it requires one. */
async function applicationFor(
  ctx: EngineContext,
  run: ActiveRun,
  what: { task: TaskState; attempt: AttemptState; workspace: string; signal: AbortSignal },
): Promise<Application | null> {
  const serve = what.task.spec.serve;
  return serve === undefined ? null : startApplication(ctx, run, { ...what, serve: serve });
}

async function start(
  ctx: EngineContext,
  run: ActiveRun,
  what: StartedAttempt & { token: string },
): Promise<ProcessRecord> {
  const { task, attempt, assignment, token } = what;
  const { program: command, record: containment } = await programOf(ctx, run, { agent: what.agent, assignment });
  const launched = await launch({
    folder: assignment.folder,
    command: command.command,
    cwd: assignment.workspace,
    env: { ...command.env, MANYHANDS_TOKEN: token },
    token,
    pipeOutput: command.pipeOutput,
    limits: resourcesOf(run),
    ...(command.pipeOutput ? { maxFileBytes: maxRawBytes(assignment.limits) } : {}),
    ...(command.stdin === undefined ? {} : { stdin: command.stdin }),
  });
  const { terminal } = command;
  const process: ProcessRecord = {
    identity: launched.identity,
    token,
    containment,
    ...(terminal === undefined ? {} : { terminal }),
  };
  try {
    crashpoint('attempt.forked');
    await writeLaunchRecord(assignment.folder, attempt, process);
    await ctx.submit(run, (state) => recordSpawn(state, { task: task.spec.key, attempt: attempt.number, process }))
      .committed;
    crashpoint('attempt.recorded');
  } catch (error) {
    await launched.abandon();
    throw error;
  }
  launched.go();
  crashpoint('attempt.going');
  return process;
}

/** Slightly more than the limit, so that exceeding it is noticed; output that is truncated instead may be longer. */
function maxRawBytes({ outputBytes, output }: TaskLimits): number {
  return output?.onMax === 'truncate' ? Math.max(outputBytes, MAX_RAW_BYTES) : outputBytes + RAW_MARGIN_BYTES;
}

function currentAttempt(task: TaskState): AttemptState {
  const attempt = task.attempts.at(-1);
  if (attempt === undefined) throw new Error(`Task ${task.spec.key} was never claimed`);
  return attempt;
}

function requireAgent(run: ActiveRun, attempt: AttemptState): Agent {
  const agent = run.agents.get(attempt.agent);
  if (agent === undefined) throw new AppError('AGENT_UNKNOWN', `The agent ${attempt.agent} is no longer configured`);
  return agent;
}

/** A missing login is never replaced by another one, which would be charged. */
function requireLogin(run: ActiveRun, { agent, account }: AttemptState): void {
  if (account === null || run.config.agents[agent]?.accounts[account] !== undefined) return;
  throw new AppError('LOGIN_GONE', `The login ${account} of ${agent} no longer exists`, { agent, account });
}

/** When the application does not start on the candidate, the candidate fails its verification. */
function isFailedVerification(task: TaskState, error: unknown): error is AppError {
  return task.spec.verifies !== undefined && error instanceof AppError && error.code === 'APP_NOT_READY';
}

function failureOf(error: unknown, signal: AbortSignal): Failure {
  const message = messageOf(error);
  if (signal.aborted) return { kind: 'interrupted', message };
  if (!(error instanceof AppError)) return { kind: 'environment', message };
  if (error.code === 'NO_SPACE') return { kind: 'disk-full', message };
  if (error.code === 'LOGIN_GONE') return { kind: 'auth', message };
  const { workspace } = error.details;
  if (error.code === 'WORKSPACE_CHANGED')
    return { kind: 'refused', message, ...(typeof workspace === 'string' ? { workspace } : {}) };
  return { kind: 'environment', message: `${message}. ${error.hint}` };
}
