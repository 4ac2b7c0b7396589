import { z } from 'zod';
import { rescheduleRun as decide } from '../../core/schedule/reschedule.ts';
import { RunDocument } from '../../schema/document.ts';
import { JobInput } from '../../schema/request.ts';
import { findRun, RunRef, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';
import { documentOf } from '../run-document.ts';

/** Changes when a scheduled run starts next. */
export const rescheduleRun = operation({
  name: 'reschedule-run',
  where: 'engine',
  summary: 'Change when a scheduled run starts next; a time that has passed starts it now',
  http: 'POST /api/runs/{run}/schedule',
  allow: ['operator'],
  input: z.object({ ...RunRef, at: JobInput.shape.notBefore.unwrap() }),
  output: RunDocument,
  run: async (app, { at, ...ref }, { origin }) => {
    const { run } = (await findRun(app, ref)).start;
    return documentOf(app, await requireControl(app).submit(run, (state) => decide(state, at), origin));
  },
});
