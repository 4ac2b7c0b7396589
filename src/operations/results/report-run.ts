import { z } from 'zod';
import type { App } from '../../app.ts';
import { changeSummary } from '../../core/finish/change-summary.ts';
import { judgementOf } from '../../core/finish/judgement.ts';
import type { RunState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import { nodesOf, progressOf } from '../../recipes/registry.ts';
import { toHtml } from '../../reports/html.ts';
import { toMarkdown } from '../../reports/markdown.ts';
import { type ReportMaterial, runReport } from '../../reports/run-report.ts';
import { findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';
import { examineResult } from './examine-result.ts';

/** Writes the report of a run, even if its repository was deleted. */
export const reportRun = operation({
  name: 'report-run',
  where: 'anywhere',
  summary: 'Write the report of a run',
  http: 'GET /api/runs/{run}/report',
  allow: ['viewer', 'operator'],
  input: z.object({ ...RunRef, format: z.enum(['md', 'html']).default('md') }),
  output: z.object({ run: z.string(), format: z.enum(['md', 'html']), text: z.string() }),
  run: async (app, { format, ...ref }) => {
    const state = await findRun(app, ref);
    const examined = await examineIfPossible(app, state);
    const page = runReport({
      state,
      nodes: nodesOf(state),
      progress: progressOf(state),
      events: app.runs.history(state.start.run),
      ...examined,
    });
    return { run: state.start.run, format, text: format === 'html' ? toHtml(page) : toMarkdown(page) };
  },
});

async function examineIfPossible(
  app: App,
  state: RunState,
): Promise<Pick<ReportMaterial, 'examination' | 'unreadable'>> {
  try {
    const { snapshot, acceptance } = await examineResult(app, state);
    const judgement = judgementOf(state, acceptance, []);
    return { examination: { acceptance, judgement, changes: changeSummary(snapshot.changes) }, unreadable: null };
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'INTERNAL') throw error;
    return { examination: null, unreadable: error.message };
  }
}
