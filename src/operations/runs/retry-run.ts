import { z } from 'zod';
import { retryTasks } from '../../core/run/decide-run.ts';
import { requeueTasks } from '../../core/run/requeue.ts';
import { runDocument } from '../../core/view/document.ts';
import { RunDocument } from '../../schema/document.ts';
import { completeKey, findRun, RunRef, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';

/** Retries failed, blocked, skipped or cancelled tasks, with those that were skipped because of them. */
export const retryRun = operation({
  name: 'retry-run',
  where: 'engine',
  summary: 'Try failed or blocked tasks again',
  http: 'POST /api/runs/{run}/retry',
  allow: ['operator'],
  input: z.object({
    ...RunRef,
    task: z.string().optional(),
    requeue: z
      .boolean()
      .default(false)
      .describe('Put them back in line from a clean workspace, without counting what was tried; also one that runs.'),
  }),
  output: RunDocument,
  run: async (app, input, { origin }) => {
    const found = await findRun(app, input);
    const control = requireControl(app);
    const task = input.task === undefined ? {} : { task: completeKey(found, input.task) };
    const retry = input.requeue ? requeueTasks : retryTasks;
    const what = { ...task, reason: 'asked for by a person' };
    await control.resume(found.start.run);
    return runDocument(await control.submit(found.start.run, (state) => retry(state, what), origin));
  },
});
