import type { Agent, AgentResult, Assignment } from '../../agents/agent.ts';
import { recordUsage, warnOf } from '../../core/attempt/decide-attempt.ts';
import { withLostOutput } from '../../core/attempt/lost-output.ts';
import { excessFailure } from '../../core/attempt/resources.ts';
import { stepsFromText } from '../../core/land/steps.ts';
import type { AttemptState, TaskState } from '../../core/run/state.ts';
import { leftOfCap, spentInRun } from '../../core/schedule/budget.ts';
import { AppError } from '../../errors.ts';
import { ending, hasEnded, isWithoutProgram } from '../../process/launch.ts';
import { type Excess, excessOf, watchResources } from '../../process/resource-watch.ts';
import { programEnding } from '../../process/terminal/files.ts';
import { sweep, terminate } from '../../process/terminate.ts';
import type { Digest } from '../../risks/risk.ts';
import type { ProcessRecord } from '../../schema/event.ts';
import type { Failure } from '../../schema/failure.ts';
import { StepsOutput } from '../../schema/output.ts';
import { crashpoint } from '../../world.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { AttemptDigest } from './attempt-digest.ts';
import { AttemptOutput } from './attempt-output.ts';
import { resourcesOf } from './containment.ts';
import { withFinished } from './finished-result.ts';
import { readerOf } from './interactive-attempt.ts';
import { judgeOf } from './policy-findings.ts';
import { TerminalOutput } from './terminal-output.ts';
import { Watchdog } from './watchdog.ts';

/** The outcome of a supervised process: the agent's own result, what it did, and why we stopped it, if we did. */
export type Outcome = {
  result: AgentResult;
  digest: Digest | undefined;
  model: string | undefined;
  stopped: Failure | undefined;
  /** It was stopped because its agent is over its spending cap: another agent may take over. */
  isOverCap?: boolean;
  /** It ended, and whether it succeeded was not recorded: its work decides. */
  isEndUnknown?: boolean;
};

/** An attempt with its agent and assignment. */
export type StartedAttempt = { task: TaskState; attempt: AttemptState; agent: Agent; assignment: Assignment };

/** How long an agent may take to stop before it is killed. */
export const GRACE_MS = 5_000;
/** Live usage is recorded at most this often. */
const USAGE_EVERY_MS = 5_000;

/** Supervises a started agent to its end: reads its output, enforces its limits, records its usage. No outcome when the engine leaves it to the next one. */
export async function supervise(
  ctx: EngineContext,
  run: ActiveRun,
  started: StartedAttempt & { process: ProcessRecord; interrupt: AbortSignal },
): Promise<Outcome | undefined> {
  const { task, attempt, assignment, process } = started;
  const target = { ...process, folder: assignment.folder };
  const reader = readerOf(started.agent, assignment, process.terminal);
  let stopped: Failure | undefined;
  let isOverCap = false;
  /** When it was stopped, its program no longer ran: an exit code that is written then is its own. */
  let hadEnded = false;
  let readBytes = 0;
  let lastUsageAt = ctx.world.now();
  const end = (failure: Failure, overCap = false) => {
    const isGone = hasEnded(assignment.folder, process.identity);
    // An attempt that exceeded a budget is judged the same whether or not it ended before that was noticed.
    if (isGone && failure.kind !== 'budget') return;
    isOverCap ||= overCap && stopped === undefined;
    hadEnded ||= stopped === undefined && failure.kind === 'interrupted' && isWithoutProgram(process.identity);
    stopped ??= failure;
    if (isGone) return;
    const graceMs = run.force.signal.aborted && !hadEnded ? 0 : GRACE_MS;
    void terminate(target, { graceMs }).catch((error: unknown) => failures.reject(error));
  };
  const failures = Promise.withResolvers<never>();
  const watchdog = new Watchdog({
    limits: assignment.limits,
    reservation: attempt.reservation,
    startedAt: attempt.startedAt,
    world: ctx.world,
    thresholds: run.ledger.state.start.config.health,
    warn: (warnings) => {
      const submission = ctx.submit(run, (state) =>
        warnOf(state, { task: task.spec.key, attempt: attempt.number, warnings }),
      );
      submission.committed.catch(failures.reject);
    },
    leftOfCap: () => leftForAttempt(ctx, run, { task, attempt }),
    deadline: () => run.ledger.state.start.deadline,
    stop: end,
  });
  const stopObserving = ctx.coordination.waits.onChange({ run: run.id, task: task.spec.key }, (isWaiting) =>
    watchdog.setWaiting(isWaiting),
  );
  const limits = resourcesOf(run);
  using _resources = watchResources({
    target,
    limits,
    path: assignment.workspace,
    onExcess: (excess) => end(excessFailure(excess)),
  });
  const reading = new AbortController();
  const digest = new AttemptDigest(judgeOf(started.agent, assignment));
  const left = new AbortController();
  const onStop = () => {
    if (isLeftRunning(ctx, run, task) && stopped === undefined) left.abort();
    else end({ kind: 'interrupted', message: stopReason(ctx, run, started.interrupt) });
  };
  const stops = [started.interrupt, run.force.signal, run.cancel.signal, ctx.stopping];
  for (const signal of stops) signal.addEventListener('abort', onStop, { once: true });
  if (stops.some((signal) => signal.aborted)) onStop();
  try {
    const Output = process.terminal === undefined ? AttemptOutput : TerminalOutput;
    const output = new Output({
      attempt: assignment.attempt,
      folder: assignment.folder,
      reader,
      store: ctx.store,
      world: ctx.world,
      signal: reading.signal,
      redact: run.redact,
      digest,
      limits: assignment.limits,
      onRead: (bytes) => {
        const usage = reader.usage();
        readBytes = bytes;
        watchdog.recordActivity(bytes, usage);
        if (usage.kind !== 'known' || ctx.world.now() - lastUsageAt < USAGE_EVERY_MS) return;
        lastUsageAt = ctx.world.now();
        ctx
          .submit(run, (state) => recordUsage(state, { task: task.spec.key, attempt: attempt.number, usage }))
          .committed.catch(failures.reject);
      },
    });
    const exited = ending(assignment.folder, process.identity, left.signal);
    const exit = await Promise.race([exited, failures.promise]).catch((error: unknown) => {
      if (!left.signal.aborted) throw error;
    });
    if (exit === undefined) return undefined;
    crashpoint('attempt.exited');
    const excess = excessOf(target, limits);
    await sweep(target);
    await output.finish(exit.lost);
    crashpoint('attempt.read');
    const ended = process.terminal === undefined ? exit : programEnding(assignment.folder, exit);
    const finished = await withFinished(assignment.folder, reader.end(ended));
    const { lost = [] } = exit;
    const { result: reported, isEndUnknown } = withLostOutput(finished, {
      ending: { ...ended, lost },
      access: task.spec.access,
    });
    const result = withExcess(withVerifierSteps(task, reported), excess);
    watchdog.recordActivity(readBytes, result.usage);
    return {
      result,
      isEndUnknown: isEndUnknown && result.failure === reported.failure,
      digest: digest.summary(),
      model: assignment.settings.model,
      stopped: hadEnded && ended.kind === 'exited' && result.failure === undefined ? undefined : stopped,
      isOverCap,
    };
  } finally {
    for (const signal of stops) signal.removeEventListener('abort', onStop);
    stopObserving();
    watchdog.close();
    reading.abort();
  }
}

/** What the agent of an attempt may spend in it; what the attempt itself spent so far is not subtracted. */
export function leftForAttempt(
  ctx: EngineContext,
  { ledger: { state } }: ActiveRun,
  { task, attempt }: Pick<StartedAttempt, 'task' | 'attempt'>,
): ReturnType<typeof leftOfCap> {
  const config = state.start.config.agents[attempt.agent];
  if (config?.spendUsd === undefined && config?.spendUsdPerDay === undefined) return undefined;
  const { usage } = state.tasks[task.spec.key]?.attempts[attempt.number - 1] ?? attempt;
  const own = usage.kind === 'known' ? usage.costUsd : 0;
  const dayUsd = config.spendUsdPerDay === undefined ? 0 : ctx.spentToday(attempt.agent) - own;
  return leftOfCap(config, { runUsd: spentInRun(state, attempt.agent, task.spec.key), dayUsd });
}

/** Whether an agent continues when the engine ends; one that inspects an application does not, because that ends with the engine. */
function isLeftRunning({ leaving }: EngineContext, run: ActiveRun, { spec }: TaskState): boolean {
  return leaving.aborted && !run.cancel.signal.aborted && spec.serve === undefined;
}

function stopReason({ stopping }: EngineContext, run: ActiveRun, interrupt: AbortSignal): string {
  if (stopping.aborted) return 'The engine was stopped';
  if (run.cancel.signal.aborted) return 'The run was cancelled';
  return interrupt.reason instanceof AppError ? interrupt.reason.message : 'A person interrupted it';
}

/** An attempt that failed after it reached a limit failed because of it; one that succeeded all the same is not affected. */
function withExcess(result: AgentResult, excess: Excess | undefined): AgentResult {
  return excess === undefined || result.failure === undefined ? result : { ...result, failure: excessFailure(excess) };
}

/** A verifier may also answer in lines: `STEP 1: PASS`. */
function withVerifierSteps(task: TaskState, result: AgentResult): AgentResult {
  const isVerifier = task.spec.verifies !== undefined || task.spec.role === 'verify';
  if (!isVerifier || StepsOutput.safeParse(result.output).success) return result;
  const output = stepsFromText(result.text);
  return output === undefined ? result : { ...result, output };
}
