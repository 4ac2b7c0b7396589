import type { Ports } from '../../app/port-interfaces.ts';
import { changeSummary } from '../../core/finish/change-summary.ts';
import { judgementOf } from '../../core/finish/judgement.ts';
import type { RunState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import { toHtml } from '../../reports/html.ts';
import { toMarkdown } from '../../reports/markdown.ts';
import { type ReportMaterial, runReport } from '../../reports/run-report.ts';
import { findRun } from '../find-run.ts';
import type { Operation } from '../operation.ts';
import { examineResult } from './examine-result.ts';

/** Writes the report of a run, also of one whose repository is gone. */
export const reportRun: Operation<'report-run'> = async (ports, { format, ...ref }) => {
  const state = await findRun(ports, ref);
  const page = runReport({ state, events: ports.runs.history(state.start.run), ...(await look(ports, state)) });
  return { run: state.start.run, format, text: format === 'html' ? toHtml(page) : toMarkdown(page) };
};

async function look(ports: Ports, state: RunState): Promise<Pick<ReportMaterial, 'looked' | 'blind'>> {
  try {
    const { sight, acceptance } = await examineResult(ports, state);
    const judgement = judgementOf(state, acceptance, []);
    return { looked: { acceptance, judgement, changes: changeSummary(sight.changes) }, blind: null };
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'INTERNAL') throw error;
    return { looked: null, blind: error.message };
  }
}
