import { tierByRules } from '../core/tier.ts';
import { TierAnswer } from '../schema/call.ts';
import type { TaskKey } from '../schema/ids.ts';
import { mayChooseTier } from './claim.ts';
import type { ActiveRun, EngineContext } from './context.ts';
import { smallCall } from './small-call.ts';

/** Asks how strong a model a task needs, where a tier is chosen by complexity; the claim reads the answer from the record. */
export async function adviseTier(ctx: EngineContext, run: ActiveRun, key: TaskKey): Promise<void> {
  const { state } = run.ledger;
  const task = state.tasks[key];
  if (task === undefined || !mayChooseTier(state, task, run.roles.get(task.spec.role)?.tier)) return;
  const { prompt, needs, title } = task.spec;
  await smallCall(ctx, run, {
    kind: 'tier',
    about: key,
    input: `${title}\n\n${prompt}\n\nIt builds on ${needs.length} other tasks.`,
    schema: TierAnswer,
    rules: () => tierByRules(prompt, needs.length),
  });
}
