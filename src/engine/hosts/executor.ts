import { taskOf } from '../../core/run/phase.ts';
import type { TaskState } from '../../core/run/state.ts';
import type { GateResult } from '../../gates/gate.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { adoptAttempt, performAttempt } from '../attempt/perform-attempt.ts';
import type { Candidate, CheckRequest } from '../land/check-request.ts';
import { performCheck, throwIfStopped } from '../land/perform-check.ts';
import type { ActiveRun, EngineContext, Executor } from '../loop/context.ts';

/** Attempts and checks as processes of this machine. */
const thisMachine: Executor = { perform: performAttempt, adopt: adoptAttempt, check: performCheck };

/** Continues the current attempt of a task that an earlier engine began. */
export async function adoptTask(ctx: EngineContext, run: ActiveRun, key: TaskKey): Promise<void> {
  const task = taskOf(run.ledger.state, key);
  await executorOf(ctx, task).adopt(ctx, run, task);
}

/** Who performs the current attempt of a task. */
export function executorOf({ hosts }: Pick<EngineContext, 'hosts'>, { attempts }: TaskState): Executor {
  return attempts.at(-1)?.host === undefined || hosts === undefined ? thisMachine : hosts.executor;
}

/** Runs a check, on a host where the run uses hosts. One that could not run is repeated once before that is its result, because it is no evidence about the work. */
export async function runGate(
  ctx: EngineContext,
  run: ActiveRun,
  candidate: Candidate,
  what: Omit<CheckRequest, 'candidate'>,
): Promise<GateResult> {
  const { check } = ctx.hosts?.isUsedBy(run) === true ? ctx.hosts.executor : thisMachine;
  const result = await check(ctx, run, { candidate, ...what });
  throwIfStopped(ctx, run);
  return result.verdict === 'error' ? check(ctx, run, { candidate, ...what }) : result;
}
