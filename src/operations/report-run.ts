import { changeSummary } from '../core/change-summary.ts';
import { judgementOf } from '../core/judgement.ts';
import type { RunState } from '../core/state.ts';
import { AppError } from '../errors.ts';
import { toHtml } from '../reports/html.ts';
import { toMarkdown } from '../reports/markdown.ts';
import { type ReportMaterial, runReport } from '../reports/run-report.ts';
import { findRun } from './find-run.ts';
import { lookAtRun } from './look-at-run.ts';
import type { Operation } from './operation.ts';
import type { Ports } from './ports.ts';

/** Writes the report of a run, also of one whose repository is gone. */
export const reportRun: Operation<'report-run'> = async (ports, { format, ...ref }) => {
  const state = await findRun(ports, ref);
  const page = runReport({ state, events: ports.runs.history(state.start.run), ...(await look(ports, state)) });
  return { run: state.start.run, format, text: format === 'html' ? toHtml(page) : toMarkdown(page) };
};

async function look(ports: Ports, state: RunState): Promise<Pick<ReportMaterial, 'looked' | 'blind'>> {
  try {
    const { sight, acceptance } = await lookAtRun(ports, state);
    const judgement = judgementOf(state, acceptance, []);
    return { looked: { acceptance, judgement, changes: changeSummary(sight.changes) }, blind: null };
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'INTERNAL') throw error;
    return { looked: null, blind: error.message };
  }
}
