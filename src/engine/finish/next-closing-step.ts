import { holdRun } from '../../core/run/decide-run.ts';
import { hasLanded, openTasks, type RunState } from '../../core/run/state.ts';
import { nextStartAt } from '../../core/schedule/next-start.ts';
import { isStuck } from '../../core/view/attention.ts';
import { landOnBase } from '../land/land-on-base.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { diagnoseFailures } from './diagnose-failures.ts';
import { finishRun, showBranch } from './finish-run.ts';

/** A step that a run takes by itself, one at a time; one `forGood` is never taken again. */
export type ClosingStep = {
  name: string;
  onlyOnce: boolean;
  perform: (ctx: EngineContext, run: ActiveRun) => Promise<void>;
};

const END: ClosingStep = { name: 'end', onlyOnce: false, perform: diagnoseAndFinish };

/** What a run is due besides its tasks: its end, the base moved after each landing, its branch shown while it waits. */
export function nextClosingStep(state: RunState): ClosingStep | undefined {
  if (state.status.kind === 'ended') return undefined;
  const isRunning = state.status.kind === 'running';
  if (isRunning && state.start.landEach === true && hasWork(state) && !hasLanded(state))
    return { name: 'land', onlyOnce: false, perform: landNow };
  const mayEnd = state.status.kind === 'cancelling' || (isRunning && state.baseEvidence !== null);
  if (mayEnd && openTasks(state) === 0) return state.openCalls > 0 ? undefined : END;
  const waits = isStuck(state) || (state.start.landEach !== true && nextStartAt(state) !== undefined);
  if (waits && state.pushed !== state.tip.commit && hasWork(state))
    return { name: `show ${state.tip.commit}`, onlyOnce: true, perform: showBranch };
  return undefined;
}

function hasWork({ tip, start }: RunState): boolean {
  return tip.commit !== start.base.commit;
}

async function landNow(ctx: EngineContext, run: ActiveRun): Promise<void> {
  const outcome = await landOnBase(ctx, run);
  if (outcome.kind === 'held') await ctx.submit(run, (state) => holdRun(state, outcome.hold)).committed;
}

/** While somebody thinks about why tasks failed, a person may have asked for them again: then it is not the end. */
async function diagnoseAndFinish(ctx: EngineContext, run: ActiveRun): Promise<void> {
  await diagnoseFailures(ctx, run);
  if (nextClosingStep(run.ledger.state) === END) await finishRun(ctx, run, run.endCommit);
}
