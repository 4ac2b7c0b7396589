import { z } from 'zod';
import { wrapUpRun as decideWrapUp } from '../../core/run/cancel-tasks.ts';
import { RunDocument } from '../../schema/document.ts';
import { findRun, RunRef, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';
import { documentOf } from '../run-document.ts';

/** Ends a run with what has landed on its branch: nothing new starts, and what is not finished is saved and withdrawn. */
export const wrapUpRun = operation({
  name: 'wrap-up-run',
  where: 'engine',
  summary: 'End a run with what has landed on its branch',
  http: 'POST /api/runs/{run}/wrap-up',
  allow: ['operator'],
  input: z.object({ ...RunRef, reason: z.string().default('wrapped up by a person') }),
  output: RunDocument,
  run: async (app, { reason, ...ref }, { origin }) => {
    const state = await findRun(app, ref);
    if (state.status.kind === 'ended') return documentOf(app, state);
    const decide = (current: typeof state) => decideWrapUp(current, reason);
    return documentOf(app, await requireControl(app).submit(state.start.run, decide, origin));
  },
});
