import { z } from 'zod';
import { summarizeCharges } from '../../core/view/usage.ts';
import { UsageBy, UsageRow } from '../../schema/usage.ts';
import { projectFilter } from '../find-run.ts';
import { operation } from '../operation.ts';

/** The usage of the runs of one project, or of all; runs outside the days are not read. */
export const usage = operation({
  name: 'usage',
  where: 'anywhere',
  summary: 'Report the usage and cost of runs',
  http: 'GET /api/usage',
  allow: ['viewer', 'operator'],
  input: z.object({
    dir: z.string().optional(),
    by: UsageBy.default('agent'),
    project: z.string().optional().describe('Only the project with this id.'),
    since: z.iso.date().optional().describe('The first day to include, such as 2026-03-01.'),
    until: z.iso.date().optional().describe('The last day to include.'),
    daily: z.boolean().default(false).describe('Group by day as well.'),
  }),
  output: z.array(UsageRow),
  run: async (app, { dir, project, by, ...days }) => {
    const selected = await projectFilter(app, { dir, project });
    const runs = app.overviews.all().filter(({ projectId, startedAt, updatedAt }) => {
      const isWithin = updatedAt.slice(0, 10) >= (days.since ?? '') && startedAt.slice(0, 10) <= (days.until ?? '9999');
      return (selected === undefined || projectId === selected) && isWithin;
    });
    const charges = runs.flatMap(({ run, version }) => app.charges.of(run, version));
    return summarizeCharges(charges, by, days);
  },
});
