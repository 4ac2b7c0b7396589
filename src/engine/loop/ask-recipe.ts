import { addTasks } from '../../core/run/add-tasks.ts';
import { holdRun } from '../../core/run/decide-run.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { ActiveRun, EngineContext } from './context.ts';

/** Asks the recipe what is wanted after each of these happened (undefined: the beginning), and puts what is new on record. */
export function askRecipe(ctx: EngineContext, run: ActiveRun, causes: readonly (TaskKey | undefined)[]): void {
  for (const key of causes) {
    const { state } = run.ledger;
    if (state.status.kind !== 'running') return;
    const ended = key === undefined ? undefined : state.tasks[key];
    const { add, hold, keep } = run.recipe.unfold(state, state.start.input, ended);
    run.endCommit = keep;
    // What is recorded is final, also when a newer version of us would word it differently.
    const added = addTasks(
      state,
      add.filter((spec) => state.tasks[spec.key] === undefined),
    );
    if (added.length > 0) ctx.submit(run, () => added);
    const isNew = added.length > 0 || add.length === 0;
    if (hold !== undefined && isNew) ctx.submit(run, (current) => holdRun(current, hold));
  }
}
