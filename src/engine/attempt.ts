import type { Agent, Assignment } from '../agents/agent.ts';
import { recordSpawn, recordUsage, warnOf } from '../core/decide/attempt.ts';
import type { AttemptState, TaskState } from '../core/state.ts';
import { AppError, messageOf } from '../errors.ts';
import { liveness } from '../process/identity.ts';
import { ending, launch } from '../process/launch.ts';
import { sweep, terminate } from '../process/terminate.ts';
import type { ProcessRecord } from '../schema/event.ts';
import type { Failure } from '../schema/failure.ts';
import { crashpoint } from '../world.ts';
import { assignmentFor, attemptFolder, writePrompt } from './assignment.ts';
import { concludeAttempt } from './conclude.ts';
import type { ActiveRun, EngineContext } from './context.ts';
import { AttemptDigest } from './digest.ts';
import { isStoreFailure } from './ledger.ts';
import type { Outcome } from './outcome.ts';
import { AttemptOutput } from './output.ts';
import { type Place, placeOf, preparePlace } from './place.ts';
import { Watchdog } from './watchdog.ts';

/** How long an agent that is asked to stop may take to do so. */
const GRACE_MS = 5_000;
/** Live usage is put on record at most this often. */
const USAGE_EVERY_MS = 5_000;

const NOT_STARTED = { result: { usage: { kind: 'none' }, text: '' }, digest: undefined, model: undefined } as const;
const UNSEEN = { result: { usage: { kind: 'unknown' }, text: '' }, digest: undefined, model: undefined } as const;

/** Carries one claimed attempt from its workspace to its end on record. Never throws for what an agent can do. */
export async function performAttempt(ctx: EngineContext, run: ActiveRun, task: TaskState): Promise<void> {
  const attempt = currentAttempt(task);
  crashpoint('attempt.claimed');
  const signal = AbortSignal.any([ctx.stopping, run.cancel.signal]);
  let begun: { place: Place; outcome: Omit<Outcome, 'stopped'> } | undefined;
  try {
    const place = await preparePlace(ctx, run, task, signal);
    const agent = requireAgent(run, attempt);
    const token = ctx.world.token();
    const assignment = await assignmentFor(ctx, run, { task, attempt, agent, workspace: place.path, token });
    await writePrompt(run, task, { assignment, kind: agent.kind });
    const process = await start(ctx, run, { task, attempt, agent, assignment, token });
    begun = { place, outcome: UNSEEN };
    const outcome = await supervise(ctx, run, { task, attempt, agent, assignment, process });
    begun = { place, outcome: { ...UNSEEN, result: { usage: outcome.result.usage, text: outcome.result.text } } };
    await concludeAttempt(ctx, run, { task, attempt, place, outcome });
  } catch (error) {
    if (isStoreFailure(error)) throw error;
    // An agent that ran has its work saved and its use charged, whatever went wrong afterwards.
    const { place, outcome } = begun ?? { place: undefined, outcome: NOT_STARTED };
    const stopped = failureOf(error, signal);
    await concludeAttempt(ctx, run, { task, attempt, place, outcome: { ...outcome, stopped } });
  }
}

/** Goes on with an attempt that an earlier engine started: watches the living, collects what ended meanwhile. */
export async function adoptAttempt(ctx: EngineContext, run: ActiveRun, task: TaskState): Promise<void> {
  const attempt = currentAttempt(task);
  const { process } = attempt;
  crashpoint('attempt.adopting');
  if (process === null) {
    const stopped: Failure = { kind: 'interrupted', message: 'The engine ended before the agent was started' };
    return concludeAttempt(ctx, run, { task, attempt, place: undefined, outcome: { ...NOT_STARTED, stopped } });
  }
  let place: Place | undefined;
  try {
    place = await placeOf(ctx, run, task);
    const agent = requireAgent(run, attempt);
    const assigning = { task, attempt, agent, workspace: place.path, token: process.token };
    const assignment = await assignmentFor(ctx, run, assigning);
    const outcome = await supervise(ctx, run, { task, attempt, agent, assignment, process });
    await concludeAttempt(ctx, run, { task, attempt, place, outcome });
  } catch (error) {
    if (isStoreFailure(error)) throw error;
    // Who cannot be watched must not go on working: it is ended, its work is saved, and its use is charged.
    const folder = attemptFolder(ctx, run, task, attempt.number);
    await terminate({ ...process, folder }, { graceMs: GRACE_MS });
    const stopped = failureOf(error, AbortSignal.any([ctx.stopping, run.cancel.signal]));
    await concludeAttempt(ctx, run, { task, attempt, place, outcome: { ...UNSEEN, stopped } });
  }
}

type Started = { task: TaskState; attempt: AttemptState; agent: Agent; assignment: Assignment };

async function start(ctx: EngineContext, run: ActiveRun, what: Started & { token: string }): Promise<ProcessRecord> {
  const { task, attempt, assignment, token } = what;
  const command = await what.agent.command(assignment);
  const launched = await launch({
    folder: assignment.folder,
    command: command.command,
    cwd: assignment.workspace,
    env: { ...command.env, MANYHANDS_TOKEN: token },
    token,
    pipeOutput: command.pipeOutput,
    ...(command.pipeOutput ? { maxFileBytes: task.spec.limits.outputBytes } : {}),
    ...(command.stdin === undefined ? {} : { stdin: command.stdin }),
  });
  const process: ProcessRecord = { identity: launched.identity, token };
  try {
    crashpoint('attempt.forked');
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

async function supervise(
  ctx: EngineContext,
  run: ActiveRun,
  what: Started & { process: ProcessRecord },
): Promise<Outcome> {
  const { task, attempt, assignment, process } = what;
  const target = { ...process, folder: assignment.folder };
  const reader = what.agent.reader(assignment);
  let stopped: Failure | undefined;
  let lastUsageAt = ctx.world.now();
  const end = (failure: Failure) => {
    // It has ended by itself, and only its output is still being read.
    if (liveness(process.identity) === 'gone') return;
    stopped ??= failure;
    void terminate(target, { graceMs: GRACE_MS }).catch((error: unknown) => failures.reject(error));
  };
  const failures = Promise.withResolvers<never>();
  const watchdog = new Watchdog({
    limits: assignment.limits,
    reservation: attempt.reservation,
    startedAt: attempt.startedAt,
    world: ctx.world,
    thresholds: run.ledger.state.start.config.health,
    warn: (warnings) => {
      const told = ctx.submit(run, (state) =>
        warnOf(state, { task: task.spec.key, attempt: attempt.number, warnings }),
      );
      told.committed.catch(failures.reject);
    },
    stop: end,
  });
  const reading = new AbortController();
  const digest = new AttemptDigest();
  const onStop = () =>
    end({ kind: 'interrupted', message: ctx.stopping.aborted ? 'The engine was stopped' : 'The run was cancelled' });
  const signal = AbortSignal.any([ctx.stopping, run.cancel.signal]);
  signal.addEventListener('abort', onStop, { once: true });
  if (signal.aborted) onStop();
  try {
    const output = new AttemptOutput({
      attempt: assignment.attempt,
      folder: assignment.folder,
      reader,
      store: ctx.store,
      world: ctx.world,
      signal: reading.signal,
      redact: run.redact,
      digest,
      onRead: (bytes) => {
        const usage = reader.usage();
        watchdog.heard(bytes, usage);
        if (usage.kind !== 'known' || ctx.world.now() - lastUsageAt < USAGE_EVERY_MS) return;
        lastUsageAt = ctx.world.now();
        ctx
          .submit(run, (state) => recordUsage(state, { task: task.spec.key, attempt: attempt.number, usage }))
          .committed.catch(failures.reject);
      },
    });
    const exit = await Promise.race([ending(assignment.folder, process.identity), failures.promise]);
    crashpoint('attempt.exited');
    await sweep(target);
    await output.finish();
    crashpoint('attempt.read');
    return { result: reader.end(exit), digest: digest.result(), model: assignment.settings.model, stopped };
  } finally {
    signal.removeEventListener('abort', onStop);
    watchdog.close();
    reading.abort();
  }
}

function currentAttempt(task: TaskState): AttemptState {
  const attempt = task.attempts.at(-1);
  if (attempt === undefined) throw new Error(`Task ${task.spec.key} was never claimed`);
  return attempt;
}

function requireAgent(run: ActiveRun, attempt: AttemptState): Agent {
  const agent = run.agents.get(attempt.agent);
  if (agent === undefined) throw new AppError('AGENT_UNKNOWN', `The agent ${attempt.agent} is not configured any more`);
  return agent;
}

function failureOf(error: unknown, signal: AbortSignal): Failure {
  const message = messageOf(error);
  if (signal.aborted) return { kind: 'interrupted', message };
  if (!(error instanceof AppError)) return { kind: 'environment', message };
  if (error.code === 'NO_SPACE') return { kind: 'disk-full', message };
  if (error.code === 'WORKSPACE_CHANGED') return { kind: 'refused', message };
  return { kind: 'environment', message: `${message}. ${error.hint}` };
}
