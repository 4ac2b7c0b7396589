import { z } from 'zod';
import type { App } from '../../app.ts';
import type { RunState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import { BulkStatus } from '../../recipes/item-status.ts';
import { findRecipe } from '../../recipes/registry.ts';
import { findRun, projectOf, RunRef, requireDir } from '../find-run.ts';
import { operation } from '../operation.ts';

/** The status of the items of a bulk run: counts, failures with reasons, and unprocessed files. */
export const showBulkStatus = operation({
  name: 'bulk-status',
  where: 'anywhere',
  summary: 'Show the status of the items of a bulk run, by default of the latest one of the project',
  http: 'GET /api/runs/{run}/items',
  allow: ['guest', 'viewer', 'operator'],
  input: z.object(RunRef),
  output: BulkStatus,
  run: async (app, ref) => {
    if (ref.run === undefined) return latestStatus(app, requireDir(ref));
    const state = await findRun(app, ref);
    const { run, recipe } = state.start;
    const status = statusOf(state);
    if (status !== undefined) return status;
    throw new AppError('REFUSED', `Run ${run} is not a bulk run: its recipe is ${recipe.name}`, { run });
  },
});

/** The status of the project's latest run that has items. */
async function latestStatus(app: App, dir: string): Promise<BulkStatus> {
  const project = await projectOf(app, dir);
  for (const id of app.runs.ids()) {
    const state = app.runs.state(id);
    const status = state.start.project.id === project.id ? statusOf(state) : undefined;
    if (status !== undefined) return status;
  }
  throw new AppError(
    'RUN_NONE',
    `There is no bulk run in ${project.root} yet; start one with manyhands bulk run <file>`,
    { root: project.root },
  );
}

function statusOf(state: RunState): BulkStatus | undefined {
  return findRecipe(state.start.recipe.name)?.itemStatus?.(state, state.start.input);
}
