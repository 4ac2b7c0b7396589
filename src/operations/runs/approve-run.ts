import { z } from 'zod';
import { approve } from '../../core/run/answer-hold.ts';
import { runDocument } from '../../core/view/document.ts';
import { RunDocument } from '../../schema/document.ts';
import { completeKey, findRun, RunRef, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';

/** Approves a plan, or the held work of one task or of all. */
export const approveRun = operation({
  name: 'approve-run',
  where: 'engine',
  summary: 'Approve a plan or held work',
  http: 'POST /api/runs/{run}/approve',
  allow: ['operator'],
  input: z.object({ ...RunRef, task: z.string().optional(), note: z.string().optional() }),
  output: RunDocument,
  run: async (app, input, { origin }) => {
    const found = await findRun(app, input);
    const control = requireControl(app);
    const task = input.task === undefined ? {} : { task: completeKey(found, input.task) };
    const note = input.note === undefined ? {} : { note: input.note };
    await control.resume(found.start.run);
    return runDocument(await control.submit(found.start.run, (state) => approve(state, { ...task, ...note }), origin));
  },
});
