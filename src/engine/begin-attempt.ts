import { startAttempt } from '../core/decide/attempt.ts';
import type { Intent } from '../core/next.ts';
import { taskOf } from '../core/phase.ts';
import { performAttempt } from './attempt.ts';
import { beforeAttempt } from './before-attempt.ts';
import { claimFor } from './claim.ts';
import type { ActiveRun, EngineContext } from './context.ts';
import { orHold } from './or-hold.ts';

/** Claims a task and carries the attempt to its end; nothing begins when the run, the task or the engine moved on meanwhile. */
export async function beginAttempt(
  ctx: EngineContext,
  run: ActiveRun,
  intent: Extract<Intent, { do: 'attempt' }>,
): Promise<void> {
  await orHold(ctx, run, beforeAttempt(ctx, run, intent.task));
  const role = taskOf(run.ledger.state, intent.task).spec.role;
  const claim = claimFor(run.ledger.state, intent, run.roles.get(role)?.tier);
  if (claim === undefined || ctx.stopping.aborted) return;
  await ctx.submit(run, (state) => startAttempt(state, claim)).committed;
  await performAttempt(ctx, run, taskOf(run.ledger.state, intent.task));
}
