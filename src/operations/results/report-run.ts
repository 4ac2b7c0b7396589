import { z } from 'zod';
import { sharedState } from '../../core/view/guest-run.ts';
import { nodesOf, progressOf } from '../../recipes/registry.ts';
import { toHtml } from '../../reports/html.ts';
import { toMarkdown } from '../../reports/markdown.ts';
import { runReport } from '../../reports/run-report.ts';
import { runStream } from '../../schema/ids.ts';
import { headText } from '../../store/chain.ts';
import { isGuest } from '../authorize.ts';
import { findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';
import { examineIfPossible } from './examine-result.ts';

/** Writes the report of a run, even if its repository was deleted. */
export const reportRun = operation({
  name: 'report-run',
  where: 'anywhere',
  summary: 'Write the report of a run',
  http: 'GET /api/runs/{run}/report',
  allow: ['guest', 'viewer', 'operator'],
  input: z.object({ ...RunRef, format: z.enum(['md', 'html']).default('md') }),
  output: z.object({ run: z.string(), format: z.enum(['md', 'html']), text: z.string() }),
  run: async (app, { format, ...ref }, { origin }) => {
    const state = await findRun(app, ref);
    const examined = await examineIfPossible(app, state);
    const { run } = state.start;
    const head = app.store.head(runStream(run));
    const page = runReport({
      state: isGuest(origin) ? sharedState(state) : state,
      nodes: nodesOf(state),
      progress: progressOf(state),
      events: app.runs.history(run),
      ...examined,
      chainHead: head === undefined ? undefined : headText(head),
    });
    return { run, format, text: format === 'html' ? toHtml(page) : toMarkdown(page) };
  },
});
