import { z } from 'zod';
import type { App } from '../../app.ts';
import { canRetry, releaseRun } from '../../core/run/decide-run.ts';
import { unpauseRun } from '../../core/run/pause.ts';
import { AppError, messageOf } from '../../errors.ts';
import type { Origin } from '../../schema/actor.ts';
import { resumeBatches, resumeBatchOf } from '../batches/run-batch.ts';
import { findRun, projectOf, RunRef, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';
import { resumeWatches } from '../watch/run-watch.ts';

/** Continues one run, all unfinished ones of a project, or, without either, those of all projects. */
export const resumeRuns = operation({
  name: 'resume-runs',
  where: 'engine',
  summary:
    'Continue a run, all unfinished runs of a project, or those of all projects; a named run continues even if it is paused',
  http: 'POST /api/resume',
  allow: ['operator'],
  input: z.object({ ...RunRef, track: z.string().optional() }),
  output: z.object({
    runs: z.array(z.string()),
    refused: z
      .array(z.object({ run: z.string(), reason: z.string() }))
      .optional()
      .describe('Runs of all projects that could not be resumed.'),
  }),
  run: async (app, input, { origin }) => {
    const control = requireControl(app);
    if (input.run !== undefined || input.track !== undefined) {
      const found = await findRun(app, input);
      const { start, status } = found;
      if (status.kind === 'ended') {
        const next = canRetry(found) ? `; manyhands retry ${start.run} opens it again` : '';
        throw new AppError('REFUSED', `Run ${start.run} has ended (${status.status})${next}`, { run: start.run });
      }
      const what = input.track === undefined ? {} : { track: input.track };
      await control.submit(
        start.run,
        (state) => [...unpauseRun(state, what), ...releaseRun(state, 'resumed by a person')],
        origin,
      );
      await control.resume(start.run);
      await resumeBatchOf(app, { project: start.project.id, run: start.run }, origin);
      return { runs: [start.run] };
    }
    if (input.dir === undefined) return resumeAll(app, origin);
    const project = await projectOf(app, input.dir);
    const runs = unfinished(app).filter((id) => app.overviews.of(id).projectId === project.id);
    for (const run of runs) await control.resume(run);
    return { runs: [...runs, ...(await resumeBatches(app, project.id, origin))] };
  },
});

/** A run that cannot be resumed, for example because its repository was deleted, does not stop the others from continuing. */
async function resumeAll(
  app: App,
  origin: Origin,
): Promise<{ runs: string[]; refused: { run: string; reason: string }[] }> {
  const runs: string[] = [];
  const refused: { run: string; reason: string }[] = [];
  for (const run of unfinished(app)) {
    try {
      await requireControl(app).resume(run);
      runs.push(run);
    } catch (error) {
      refused.push({ run, reason: messageOf(error) });
    }
  }
  for (const project of app.projects.ids()) runs.push(...(await resumeBatches(app, project, origin)));
  await resumeWatches(app, origin);
  return { runs, refused };
}

function unfinished(app: App): string[] {
  return app.overviews.all().flatMap(({ run, endedAt }) => (endedAt === null ? [run] : []));
}
