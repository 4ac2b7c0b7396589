import type { Ports } from '../../app/port-interfaces.ts';
import type { RunState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import { bulkStatus } from '../../recipes/bulk/bulk-status.ts';
import { findRun, type Ref, requireDir } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Tells how the items of a run stand: how many, which failed and why, which files nothing was done to. */
export const showBulk: Operation<'bulk-status'> = async (ports, which) => bulkStatus(await findBulk(ports, which));

/** The named run, which must be one of items, or the project's latest that is. */
async function findBulk(ports: Ports, which: Ref): Promise<RunState> {
  if (which.run !== undefined) {
    const state = await findRun(ports, which);
    const { run, recipe } = state.start;
    if (recipe.name === 'bulk') return state;
    throw new AppError('REFUSED', `Run ${run} is no run of items: it is ${recipe.name}`, { run });
  }
  const project = await ports.work.project(requireDir(which));
  for (const id of ports.runs.ids()) {
    const state = ports.runs.state(id);
    if (state.start.project.id === project.id && state.start.recipe.name === 'bulk') return state;
  }
  throw new AppError('RUN_NONE', `There is no run of items in ${project.root} yet`, { root: project.root });
}
