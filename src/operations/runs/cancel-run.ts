import { z } from 'zod';
import { cancelRun as decideCancel } from '../../core/run/decide-run.ts';
import { RunDocument } from '../../schema/document.ts';
import { findRun, RunRef, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';
import { documentOf } from '../run-document.ts';

/** Cancels a run: nothing new starts, running attempts are stopped, and all work stays saved. */
export const cancelRun = operation({
  name: 'cancel-run',
  where: 'engine',
  summary: 'Cancel a run; all of its work is kept',
  http: 'POST /api/runs/{run}/cancel',
  allow: ['operator'],
  input: z.object({
    ...RunRef,
    reason: z.string().default('cancelled by a person'),
    force: z.boolean().default(false).describe('Kill its agents at once; their work is still saved.'),
  }),
  output: RunDocument,
  run: async (app, { reason, force, ...ref }, { origin }) => {
    const { run } = (await findRun(app, ref)).start;
    return documentOf(
      app,
      await requireControl(app).cancel(run, (state) => decideCancel(state, reason, force), origin),
    );
  },
});
