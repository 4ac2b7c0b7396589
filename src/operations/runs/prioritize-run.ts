import { z } from 'zod';
import { prioritizeRun as decide } from '../../core/run/edit-plan.ts';
import { RunDocument } from '../../schema/document.ts';
import { Priority } from '../../schema/task.ts';
import { findRun, RunRef, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';
import { documentOf } from '../run-document.ts';

/** Changes the priority of all queued tasks of a run: of two runs that could start something, the higher one is first. */
export const prioritizeRun = operation({
  name: 'prioritize-run',
  where: 'engine',
  summary: 'Change the priority of all queued tasks of a run',
  http: 'POST /api/runs/{run}/priority',
  allow: ['operator'],
  input: z.object({ ...RunRef, priority: Priority }),
  output: RunDocument,
  run: async (app, { priority, ...ref }, { origin }) => {
    const { run } = (await findRun(app, ref)).start;
    return documentOf(app, await requireControl(app).submit(run, (state) => decide(state, priority), origin));
  },
});
