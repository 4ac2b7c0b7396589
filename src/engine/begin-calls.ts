import { endOpenCalls } from '../core/decide/call.ts';
import type { ActiveRun, EngineContext } from './context.ts';
import { nameRun } from './name-run.ts';

/** Settles the small questions that an earlier engine left open, then asks for what the run itself wants: a title. */
export async function beginCalls(ctx: EngineContext, run: ActiveRun): Promise<void> {
  if (run.ledger.state.openCalls > 0) await ctx.submit(run, endOpenCalls).committed;
  await nameRun(ctx, run);
}
