import { z } from 'zod';
import { prioritize } from '../../core/run/edit-plan.ts';
import { RunDocument } from '../../schema/document.ts';
import { Priority } from '../../schema/task.ts';
import { completeKey, findRun, requireControl, TaskRef } from '../find-run.ts';
import { operation } from '../operation.ts';
import { documentOf } from '../run-document.ts';

/** Changes the priority of a queued task: of two ready tasks the one with the higher priority starts first. */
export const prioritizeTask = operation({
  name: 'prioritize-task',
  where: 'engine',
  summary: 'Change the priority of a queued task',
  http: 'POST /api/runs/{run}/tasks/{task}/priority',
  allow: ['operator'],
  input: z.object({ ...TaskRef, priority: Priority }),
  output: RunDocument,
  run: async (app, { task, priority, ...ref }, { origin }) => {
    const found = await findRun(app, ref);
    const control = requireControl(app);
    const decide = (state: typeof found) => prioritize(state, { task: completeKey(state, task), priority });
    return documentOf(app, await control.submit(found.start.run, decide, origin));
  },
});
