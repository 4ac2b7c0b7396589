import { z } from 'zod';
import { cancelRun } from '../../core/run/decide-run.ts';
import { messageOf } from '../../errors.ts';
import { endBatches } from '../batches/run-batch.ts';
import { requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';

/** Stops everything: cancels the unfinished runs of all projects and ends their batches. */
export const cancelAll = operation({
  name: 'cancel-all',
  where: 'engine',
  summary: 'Cancel the unfinished runs of all projects, and end their batches; all work is kept',
  http: 'POST /api/cancel',
  allow: ['operator'],
  input: z.object({
    reason: z.string().default('cancelled by a person'),
    force: z.boolean().default(false).describe('Kill their agents at once; their work is still saved.'),
  }),
  output: z.object({
    runs: z.array(z.string()).describe('The runs that were cancelled.'),
    batches: z.array(z.string()).describe('The batches that start nothing more.'),
    refused: z.array(z.object({ run: z.string(), reason: z.string() })),
  }),
  run: async (app, { reason, force }, { origin }) => {
    const batches: string[] = [];
    for (const project of app.projects.ids()) batches.push(...(await endBatches(app, project, { reason, origin })));
    const runs: string[] = [];
    const refused: { run: string; reason: string }[] = [];
    for (const { run, endedAt } of app.overviews.all()) {
      if (endedAt !== null) continue;
      try {
        await requireControl(app).cancel(run, (state) => cancelRun(state, reason, force), origin);
        runs.push(run);
      } catch (error) {
        refused.push({ run, reason: messageOf(error) });
      }
    }
    return { runs, batches, refused };
  },
});
