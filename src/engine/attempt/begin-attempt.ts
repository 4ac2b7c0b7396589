import { startAttempt } from '../../core/attempt/decide-attempt.ts';
import { tierByRules } from '../../core/models/tier.ts';
import { taskOf } from '../../core/run/phase.ts';
import type { Intent } from '../../core/schedule/next.ts';
import { promptText } from '../../roles/prompt.ts';
import { TierAnswer } from '../../schema/call.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { holdOnError } from '../loop/hold-on-error.ts';
import { smallCall } from '../small-calls/small-call.ts';
import { claimFor, mayChooseTier } from './claim.ts';
import { performAttempt } from './perform-attempt.ts';
import { startFromCurrentBase } from './start-from-current-base.ts';

/** Claims a task and performs the attempt; nothing starts when the run, the task or the engine changed in the meantime. */
export async function beginAttempt(
  ctx: EngineContext,
  run: ActiveRun,
  intent: Extract<Intent, { do: 'attempt' }>,
): Promise<void> {
  await holdOnError(ctx, run, beforeAttempt(ctx, run, intent.task));
  const role = taskOf(run.ledger.state, intent.task).spec.role;
  const claim = claimFor(run.ledger.state, intent, run.roles.get(role)?.tier);
  if (claim === undefined || ctx.stopping.aborted) return;
  await ctx.submit(run, (state) => startAttempt(state, claim)).committed;
  await performAttempt(ctx, run, taskOf(run.ledger.state, intent.task));
}

/** What is decided before an attempt is claimed: the commit that it starts from, and the tier of its model. */
async function beforeAttempt(ctx: EngineContext, run: ActiveRun, key: TaskKey): Promise<void> {
  await startFromCurrentBase(ctx, run, key);
  await adviseTier(ctx, run, key);
}

/** Asks which tier a task needs, where the tier is chosen by complexity; the claim reads the answer from the record. */
async function adviseTier(ctx: EngineContext, run: ActiveRun, key: TaskKey): Promise<void> {
  const { state } = run.ledger;
  const task = state.tasks[key];
  if (task === undefined || !mayChooseTier(state, task, run.roles.get(task.spec.role)?.tier)) return;
  const { prompt, needs, title } = task.spec;
  await smallCall(ctx, run, {
    kind: 'tier',
    about: key,
    input: promptText('roles/small-calls/task-difficulty', { title, task: prompt, needs: String(needs.length) }),
    schema: TierAnswer,
    rules: () => tierByRules(prompt, needs.length),
  });
}
