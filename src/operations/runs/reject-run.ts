import { z } from 'zod';
import { redactForms } from '../../core/redact.ts';
import { reject } from '../../core/run/answer-hold.ts';
import { RunDocument } from '../../schema/document.ts';
import { HoldId } from '../../schema/event.ts';
import { completeKey, findRun, RunRef, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';
import { documentOf } from '../run-document.ts';

/** Rejects one hold: a task's work returns to its agent with the reason, a plan is generated again, anything else ends the run. */
export const rejectRun = operation({
  name: 'reject-run',
  where: 'engine',
  summary: 'Reject a plan or held work with a reason',
  http: 'POST /api/runs/{run}/reject',
  allow: ['operator'],
  decides: true,
  reserved: () => 'rejecting work',
  input: z.object({
    ...RunRef,
    task: z.string().optional(),
    hold: HoldId.optional().describe('Only this hold; an error if it was already answered.'),
    reason: z.string().min(1).max(10_000).describe('The reason, which is passed to the agent.'),
  }),
  output: RunDocument,
  run: async (app, { task, hold, reason, ...ref }, { origin }) => {
    const found = await findRun(app, ref);
    const control = requireControl(app);
    const selected = { task: task === undefined ? undefined : completeKey(found, task), hold };
    await control.resume(found.start.run);
    const decide = (state: typeof found) =>
      reject(state, { ...selected, reason: redactForms(reason), now: app.world.now() });
    return documentOf(app, await control.submit(found.start.run, decide, origin));
  },
});
