import { z } from 'zod';
import { approve } from '../../core/run/answer-hold.ts';
import { RunDocument } from '../../schema/document.ts';
import { HoldId } from '../../schema/event.ts';
import { completeKey, findRun, RunRef, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';
import { documentOf } from '../run-document.ts';

/** Approves a plan, or the held work of one task or of all; records the actor and the chosen option. */
export const approveRun = operation({
  name: 'approve-run',
  where: 'engine',
  summary: 'Approve a plan or held work',
  http: 'POST /api/runs/{run}/approve',
  allow: ['operator'],
  decides: true,
  reserved: () => 'approving work',
  input: z.object({
    ...RunRef,
    task: z.string().optional(),
    hold: HoldId.optional().describe('Only this hold; an error if it was already answered.'),
    option: z.string().optional().describe('The chosen option, where the hold has several.'),
    note: z.string().optional(),
  }),
  output: RunDocument,
  run: async (app, { task, hold, option, note, ...ref }, { origin }) => {
    const found = await findRun(app, ref);
    const control = requireControl(app);
    const answer = { task: task === undefined ? undefined : completeKey(found, task), hold, option, note };
    await control.resume(found.start.run);
    return documentOf(app, await control.submit(found.start.run, (state) => approve(state, answer), origin));
  },
});
