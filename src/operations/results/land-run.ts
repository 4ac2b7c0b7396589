import { z } from 'zod';
import { runStatus } from '../../core/view/run-status.ts';
import { AppError } from '../../errors.ts';
import { BranchLandMode } from '../../schema/config/land.ts';
import { RunDocument } from '../../schema/document.ts';
import { findRun, RunRef, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';
import { documentOf } from '../run-document.ts';

/** Lands the branch of a run on its base: merged, checked and by fast-forward; or opens a pull request for it. */
export const landRun = operation({
  name: 'land-run',
  where: 'engine',
  summary: 'Land the branch of a run on its base',
  http: 'POST /api/runs/{run}/land',
  allow: ['operator'],
  decides: true,
  reserved: () => 'landing work',
  input: z.object({
    ...RunRef,
    how: BranchLandMode.default('merge'),
    draft: z.boolean().optional().describe('Open the pull request as a draft.'),
    accept: z
      .string()
      .regex(/^[0-9a-f]{8,64}$/)
      .optional()
      .describe('Land in spite of the findings on this tree, which the refusal names.'),
  }),
  output: RunDocument,
  run: async (app, { how, draft, accept, ...ref }, { origin }) => {
    const state = await findRun(app, ref);
    const { run, base } = state.start;
    const status = runStatus(state);
    if (state.undone !== null) {
      const again = `git revert ${state.undone.commit.slice(0, 10)}`;
      throw new AppError('REFUSED', `Run ${run} was undone on ${state.undone.branch}; to apply it again: ${again}`, {
        run,
      });
    }
    // An open pull request is updated, or the run is landed locally instead.
    if (state.landed !== null && state.landed.how !== 'pr')
      throw new AppError('REFUSED', `Run ${run} has already landed on ${state.landed.branch}`, { run });
    if (state.tip.commit === base.commit) throw new AppError('REFUSED', `Run ${run} has nothing to land`, { run });
    if (status === 'running' || status === 'needs-rerun' || status === 'cancelling')
      throw new AppError('REFUSED', `Run ${run} is still ${status}; wait for it with manyhands wait ${run}`, { run });
    const options = {
      how,
      ...(draft === undefined ? {} : { draft }),
      ...(accept === undefined ? {} : { accept }),
    };
    return documentOf(app, await requireControl(app).land(run, options, origin));
  },
});
