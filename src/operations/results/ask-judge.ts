import { z } from 'zod';
import { changeSummary } from '../../core/finish/change-summary.ts';
import { judgementOf } from '../../core/finish/judgement.ts';
import type { RunState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import { nodesOf, progressOf } from '../../recipes/registry.ts';
import { toMarkdown } from '../../reports/markdown.ts';
import { runReport } from '../../reports/run-report.ts';
import { promptText } from '../../roles/prompt.ts';
import { StartRequest } from '../../schema/request.ts';
import { findRun, RunRef, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';
import { examineResult } from './examine-result.ts';

/** The key of the only task of a judge's run. */
export const JUDGE_TASK = 'job/1';

/** The length of the report for a judge, who reads the code itself. */
const REPORT_CHARS = 60_000;

/** Lets an agent in the judge role judge a run: in a separate read-only run at the judged commit. */
export const askJudge = operation({
  name: 'ask-judge',
  where: 'engine',
  summary: 'Let an agent judge a run',
  http: 'POST /api/runs/{run}/judgement',
  allow: ['operator'],
  input: z.object({ ...RunRef, agents: z.array(z.string()).default([]) }),
  output: z.object({ run: z.string() }),
  run: async (app, { agents, ...ref }, { origin }) => {
    const state = await findRun(app, ref);
    const { start, tip } = state;
    if (state.status.kind !== 'ended')
      throw new AppError('REFUSED', `Run ${start.run} has not ended, so there is nothing final to judge`, {
        run: start.run,
      });
    const { snapshot, acceptance } = await examineResult(app, state);
    const judgement = judgementOf(state, acceptance, []);
    const examination = { acceptance, judgement, changes: changeSummary(snapshot.changes) };
    const report = toMarkdown(
      runReport({
        state,
        nodes: nodesOf(state),
        progress: progressOf(state),
        events: app.runs.history(start.run),
        examination,
        unreadable: null,
      }),
    );
    const task = promptText('roles/sections/judge-run', {
      run: start.run,
      base: start.base.commit,
      report: report.slice(0, REPORT_CHARS),
    });
    const request = StartRequest.parse({
      recipe: 'job',
      input: { task, role: 'judge' },
      options: { dir: start.project.root, agents, base: tip.commit, land: 'branch', title: judgeTitle(state) },
    });
    return { run: (await requireControl(app).start(request, origin)).run };
  },
});

/** The title of a judge's run. */
export function judgeTitle({ start }: RunState): string {
  return `Judge ${start.run}`;
}
