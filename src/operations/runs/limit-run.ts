import { z } from 'zod';
import { limitRun as decideLimit } from '../../core/run/decide-run.ts';
import { RunDocument } from '../../schema/document.ts';
import { findRun, RunRef, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';
import { documentOf } from '../run-document.ts';

/** Changes how many attempts of a run may run at once, while it continues. */
export const limitRun = operation({
  name: 'limit-run',
  where: 'engine',
  summary: 'Change the maximum number of concurrent attempts of a run',
  http: 'POST /api/runs/{run}/limit',
  allow: ['operator'],
  input: z.object({ ...RunRef, agents: z.number().int().min(1).max(150) }),
  output: RunDocument,
  run: async (app, { agents, ...ref }, { origin }) => {
    const { run } = (await findRun(app, ref)).start;
    return documentOf(app, await requireControl(app).submit(run, (state) => decideLimit(state, agents), origin));
  },
});
