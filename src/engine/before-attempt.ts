import type { TaskKey } from '../schema/ids.ts';
import { adviseTier } from './advise-tier.ts';
import { catchUp } from './catch-up.ts';
import type { ActiveRun, EngineContext } from './context.ts';

/** What is settled about a task before an attempt at it is claimed: what it begins with, and how strong a model it needs. */
export async function beforeAttempt(ctx: EngineContext, run: ActiveRun, key: TaskKey): Promise<void> {
  await catchUp(ctx, run, key);
  await adviseTier(ctx, run, key);
}
