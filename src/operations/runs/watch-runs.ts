import { z } from 'zod';
import { RunsItem } from '../../schema/overview.ts';
import { completeId, projectOf } from '../find-run.ts';
import { stream } from '../operation.ts';

/** Follows all runs, or those of a project: returns each now and whenever it changes, only with its latest state. */
export const watchRuns = stream({
  name: 'watch-runs',
  where: 'anywhere',
  summary: 'Follow all runs: the newest and all open ones first, then each as it changes',
  http: 'GET /api/runs/stream',
  allow: ['viewer', 'operator'],
  input: z.object({
    after: z.number().int().nonnegative().default(0).describe('The last position received: only what changed since.'),
    limit: z.number().int().min(1).max(1000).default(200).describe('Maximum number of ended runs in the initial list.'),
    dir: z.string().optional().describe('Only runs of the project of this folder.'),
    run: z.string().optional().describe('Only this run.'),
  }),
  output: RunsItem,
  cursor: 'position',
  async *run(app, { dir, run, ...rest }, { signal }) {
    const from = { ...rest, run: run === undefined ? undefined : completeId(app, run) };
    if (dir === undefined) {
      for await (const item of app.overviews.watch(from, signal)) yield [item];
      return;
    }
    const project = (await projectOf(app, dir)).id;
    for await (const item of app.overviews.watch({ ...from, project }, signal))
      if (!('run' in item) || item.run.projectId === project) yield [item];
  },
});
