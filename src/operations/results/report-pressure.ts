import { z } from 'zod';
import { loadConfig } from '../../config/load.ts';
import { pressureReport } from '../../core/view/pressure-report.ts';
import { toHtml } from '../../reports/html.ts';
import { toMarkdown } from '../../reports/markdown.ts';
import { pressurePage } from '../../reports/work-report.ts';
import { PressureReport } from '../../schema/report/work-report.ts';
import { operation } from '../operation.ts';
import { runsOfReport, WorkReportRequest } from './report-work.ts';

/** Reports what limits the work on a project. */
export const reportPressure = operation({
  name: 'report-pressure',
  where: 'anywhere',
  summary: 'Report what limits the work on a project: agents against their limits, waits, retries, cost by cause',
  http: 'GET /api/reports/pressure',
  allow: ['viewer', 'operator'],
  input: z.object(WorkReportRequest),
  output: z.object({ format: z.enum(['md', 'html']), text: z.string(), report: PressureReport }),
  run: async (app, { format, ...request }) => {
    const { runs, subject } = await runsOfReport(app, request);
    const [only] = runs;
    const dir = request.dir ?? only?.start.project.root;
    // Without a readable file of the project its limits are those of the last run.
    const now = await loadConfig({ env: app.env, ...(dir === undefined ? {} : { dir }) }).catch(
      () => only?.start.config,
    );
    const config = request.run === undefined ? now : only?.start.config;
    const of = Object.fromEntries(
      Object.entries(config?.agents ?? {}).map(([name, { maxParallel }]) => [name, maxParallel]),
    );
    const material = runs.map((state) => ({ state, events: app.runs.history(state.start.run) }));
    const report = pressureReport(material, { all: config?.limits.agents ?? 0, of }, app.world.now());
    const page = pressurePage(report, subject);
    return { format, text: format === 'html' ? toHtml(page) : toMarkdown(page), report };
  },
});
