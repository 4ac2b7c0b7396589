import { lastAttempt } from '../../core/run/state.ts';
import { runStatus } from '../../core/view/run-status.ts';
import { wholeTask } from '../../core/view/shown-state.ts';
import { completeKey, findRun, requireTask } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Shows one task with its prompt, all its attempts and its evidence. */
export const showTask: Operation<'show-task'> = async (ports, { task: wanted, ...ref }) => {
  const state = await findRun(ports, ref);
  const { run, title, project, recipe } = state.start;
  const key = completeKey(state, wanted);
  const task = requireTask(state, key);
  return {
    run,
    title,
    project: project.folder ?? project.root,
    recipe: recipe.name,
    status: runStatus(state),
    task: wholeTask(task),
    dependents: state.dependents[key] ?? [],
    stale: state.invalidated.includes(key),
    resumable: lastAttempt(task)?.session != null,
  };
};
