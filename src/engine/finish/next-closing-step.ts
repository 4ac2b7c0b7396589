import { holdRun } from '../../core/run/decide-run.ts';
import { hasLanded, openTasks, type RunState } from '../../core/run/state.ts';
import { nextStartAt } from '../../core/schedule/next-start.ts';
import { isStuck } from '../../core/view/attention.ts';
import { landOnBase } from '../land/land-on-base.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { diagnoseFailures } from './diagnose-failures.ts';
import { finishRun, showBranch } from './finish-run.ts';

/** A step of a run besides its tasks; steps happen one at a time, and one with `onlyOnce` is never repeated. */
export type ClosingStep = {
  name: string;
  onlyOnce: boolean;
  perform: (ctx: EngineContext, run: ActiveRun) => Promise<void>;
};

const END: ClosingStep = { name: 'end', onlyOnce: false, perform: diagnoseAndFinish };

/** The next step of a run besides its tasks: its end, landing on the base after each task, pushing its branch while it waits. */
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

/** A person may retry tasks while their failures are diagnosed: then the run does not end. */
async function diagnoseAndFinish(ctx: EngineContext, run: ActiveRun): Promise<void> {
  await diagnoseFailures(ctx, run);
  if (nextClosingStep(run.ledger.state) === END) await finishRun(ctx, run, run.endCommit);
}
