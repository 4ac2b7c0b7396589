import type { Ports } from '../../app/port-interfaces.ts';
import type { RunState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import { findRecipe } from '../../recipes/registry.ts';
import type { BulkStatus } from '../contracts/bulk-contracts.ts';
import { findRun, requireDir } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Shows the status of the items of a run: how many, which failed and why, which files were not processed. */
export const showBulk: Operation<'bulk-status'> = async (ports, which) => {
  if (which.run === undefined) return latestStatus(ports, requireDir(which));
  const state = await findRun(ports, which);
  const { start } = state;
  const status = statusOf(state);
  if (status !== undefined) return status;
  throw new AppError('REFUSED', `Run ${start.run} is no run of items: it is ${start.recipe.name}`, { run: start.run });
};

/** The status of the project's latest run that has items. */
async function latestStatus(ports: Ports, dir: string): Promise<BulkStatus> {
  const project = await ports.work.project(dir);
  for (const id of ports.runs.ids()) {
    const state = ports.runs.state(id);
    const status = state.start.project.id === project.id ? statusOf(state) : undefined;
    if (status !== undefined) return status;
  }
  throw new AppError('RUN_NONE', `There is no run of items in ${project.root} yet`, { root: project.root });
}

function statusOf(state: RunState): BulkStatus | undefined {
  return findRecipe(state.start.recipe.name)?.itemStatus?.(state, state.start.input);
}
