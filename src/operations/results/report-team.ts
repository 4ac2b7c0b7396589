import { z } from 'zod';
import { teamReport } from '../../core/view/team-report.ts';
import { toHtml } from '../../reports/html.ts';
import { toMarkdown } from '../../reports/markdown.ts';
import { teamPage } from '../../reports/work-report.ts';
import { TeamReport } from '../../schema/report/work-report.ts';
import { operation } from '../operation.ts';
import { runsOfReport, WorkReportRequest } from './report-work.ts';

/** Reports who did what in the runs of a project, and how agents worked together. */
export const reportTeam = operation({
  name: 'report-team',
  where: 'anywhere',
  summary: 'Report who did what in the runs of a project: agents by role, results, time, cost',
  http: 'GET /api/reports/team',
  allow: ['viewer', 'operator'],
  input: z.object(WorkReportRequest),
  output: z.object({ format: z.enum(['md', 'html']), text: z.string(), report: TeamReport }),
  run: async (app, { format, ...request }) => {
    const { runs, subject } = await runsOfReport(app, request);
    const report = teamReport(runs, app.world.now());
    const page = teamPage(report, subject);
    return { format, text: format === 'html' ? toHtml(page) : toMarkdown(page), report };
  },
});
