import { addTasks } from '../../core/run/add-tasks.ts';
import { cancelTasks } from '../../core/run/cancel-tasks.ts';
import { isBaseChecked } from '../../core/run/check-start.ts';
import { holdRun } from '../../core/run/decide-run.ts';
import { orphanedTasks } from '../../core/run/request-task.ts';
import { isOpen, openTasks, type RunState } from '../../core/run/state.ts';
import type { RunEvent } from '../../schema/event.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { ActiveRun, EngineContext } from './context.ts';

/** An event that a recipe must react to: a task that ended, or (undefined) the start of the run. */
export type RecipeQuestion = TaskKey | undefined;

/** Asks the recipe which tasks should exist after each of these, and records the new ones. */
export function askRecipe(ctx: EngineContext, run: ActiveRun, questions: readonly RecipeQuestion[]): void {
  for (const key of questions) {
    cancelOrphans(ctx, run, key);
    const { state } = run.ledger;
    if (state.status.kind !== 'running' || state.wrapUp !== undefined || !isBaseChecked(state)) return;
    const planned = plannedEnd(state, key);
    if (planned === 'none') continue;
    const { add, cancel, hold, keep, measure } = run.recipe.unfold(state, state.start.input, planned);
    run.endCommit = keep;
    run.toMeasure = measure;
    // Recorded specs are final, even if a newer version of the recipe generates other texts.
    const unknown = add.filter((spec) => state.tasks[spec.key] === undefined);
    const added = addTasks(
      state,
      unknown.map((spec) => ({ ...spec, title: run.redact(spec.title) })),
    );
    if (added.length > 0) ctx.submit(run, () => added);
    if (cancel !== undefined) ctx.submit(run, (current) => cancelTasks(current, cancel));
    const isNew = added.length > 0 || add.length === 0;
    if (hold !== undefined && isNew) ctx.submit(run, (current) => holdRun(current, hold));
  }
}

/** Sub-tasks are cancelled with the task whose agent requested them. */
function cancelOrphans(ctx: EngineContext, run: ActiveRun, key: RecipeQuestion): void {
  const { state } = run.ledger;
  const tasks = key === undefined || state.status.kind !== 'running' ? [] : orphanedTasks(state, key);
  if (tasks.length === 0) return;
  ctx.submit(run, (current) => cancelTasks(current, { tasks, reason: `${key} ended without being done` }));
}

/** The ended tasks that the recipe must react to after these events; after the answer to a hold all of them, because a held run does not call its recipe. */
export function questionsAfter(events: readonly RunEvent[], state: RunState): RecipeQuestion[] {
  if (events.some(({ type }) => type === 'run.approved' || type === 'run.rejected'))
    return [undefined, ...endedTasks(state), ...endedBy(events, state)];
  const isStart = events.some((event) => event.type === 'run.base-checked' || freesTrack(event, state));
  return [...(isStart ? [undefined] : []), ...endedBy(events, state), ...measuredBy(events, state)];
}

/** The ended tasks about which something was measured that their recipe wanted to know. */
function measuredBy(events: readonly RunEvent[], state: RunState): TaskKey[] {
  return events.flatMap((event) => {
    if (event.type !== 'gate.ended' || event.data.evidence.measured === undefined) return [];
    return event.data.tasks.filter((key) => {
      const task = state.tasks[key];
      return task !== undefined && !isOpen(task);
    });
  });
}

/** A task that waits for a person lets another one of its track start. */
function freesTrack(event: RunEvent, state: RunState): boolean {
  if (event.type !== 'task.blocked' && event.type !== 'task.held') return false;
  return state.tasks[event.data.task]?.spec.track !== undefined;
}

/** The tasks that these events ended; a cancelled one whose attempt still runs ends with it. */
export function endedBy(events: readonly RunEvent[], state: RunState): TaskKey[] {
  const isLive = (key: TaskKey) => state.tasks[key]?.phase.status === 'running';
  return events.flatMap((event) => {
    if (event.type === 'tasks.cancelled') return event.data.tasks.filter((key) => !isLive(key));
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

/**
 * The ended task as the recipe may see it. One that an agent requested is not the recipe's: its end only matters when
 * nothing else is left, and then the recipe is called again with the last task of its own.
 */
function plannedEnd(state: RunState, key: TaskKey | undefined): RunState['tasks'][TaskKey] | undefined | 'none' {
  if (key === undefined) return undefined;
  if (!isRequestedByAgent(state, key)) return state.tasks[key];
  if (openTasks(state) > 0) return 'none';
  const last = state.order.findLast((each) => {
    const task = state.tasks[each];
    return task !== undefined && !isOpen(task) && !isRequestedByAgent(state, each);
  });
  return last === undefined ? 'none' : state.tasks[last];
}

function isRequestedByAgent(state: RunState, key: TaskKey): boolean {
  return state.tasks[key]?.spec.requestedBy?.kind === 'task';
}
