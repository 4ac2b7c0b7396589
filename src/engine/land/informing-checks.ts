import { recordGate } from '../../core/land/decide-landing.ts';
import { type CommandGateSpec, informingGates } from '../../gates/gate-kinds.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { crashpoint } from '../../world.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { checkWith, eachOnce } from './check-candidate.ts';
import type { Candidate } from './check-request.ts';
import { throwIfStopped } from './perform-check.ts';

/** Runs the commands that only inform, on a candidate that is about to land, and records the result of each. */
export async function recordInforming(ctx: EngineContext, run: ActiveRun, candidate: Candidate): Promise<void> {
  for (const gate of informingCommands(run, candidate.tasks)) {
    const evidence = await checkWith(ctx, run, candidate, gate);
    throwIfStopped(ctx, run);
    await ctx.submit(run, () => recordGate(candidate.tasks, candidate.commit, evidence)).committed;
    crashpoint('gate.recorded');
  }
}

/** The commands of these tasks that only inform, each once. */
export function informingCommands(run: ActiveRun, tasks: readonly TaskKey[]): CommandGateSpec[] {
  return eachOnce(tasks.flatMap((key) => informingGates(run.ledger.state.tasks[key]?.spec.gates ?? [])));
}
