import { addTasks } from '../../core/run/add-tasks.ts';
import { holdRun } from '../../core/run/decide-run.ts';
import { isOpen, type RunState } from '../../core/run/state.ts';
import type { RunEvent } from '../../schema/event.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { ActiveRun, EngineContext } from './context.ts';

/** What a recipe is asked about: a task that ended, or (undefined) the start of the run. */
export type RecipeQuestion = TaskKey | undefined;

/** Asks the recipe which tasks should exist after each of these, and records the new ones. */
export function askRecipe(ctx: EngineContext, run: ActiveRun, questions: readonly RecipeQuestion[]): void {
  for (const key of questions) {
    const { state } = run.ledger;
    if (state.status.kind !== 'running') return;
    const ended = key === undefined ? undefined : state.tasks[key];
    const { add, hold, keep } = run.recipe.unfold(state, state.start.input, ended);
    run.endCommit = keep;
    // Recorded specs are final, also when a newer version of the recipe words them differently.
    const added = addTasks(
      state,
      add.filter((spec) => state.tasks[spec.key] === undefined),
    );
    if (added.length > 0) ctx.submit(run, () => added);
    const isNew = added.length > 0 || add.length === 0;
    if (hold !== undefined && isNew) ctx.submit(run, (current) => holdRun(current, hold));
  }
}

/** What the recipe must be asked after these events; after an approval everything again, because a held run was not asked. */
export function questionsAfter(events: readonly RunEvent[], state: RunState): RecipeQuestion[] {
  if (events.some((event) => event.type === 'run.approved'))
    return [undefined, ...endedTasks(state), ...endedBy(events)];
  const isStart = events.some((event) => event.type === 'run.base-checked');
  return [...(isStart ? [undefined] : []), ...endedBy(events)];
}

/** The tasks that these events ended. */
export function endedBy(events: readonly RunEvent[]): TaskKey[] {
  return events.flatMap((event) => {
    if (event.type === 'task.ended') return [event.data.task];
    return event.type === 'tasks.landed' ? event.data.tasks : [];
  });
}

/** All tasks that have ended, in their order. */
export function endedTasks(state: RunState): TaskKey[] {
  return state.order.filter((key) => {
    const task = state.tasks[key];
    return task !== undefined && !isOpen(task);
  });
}
