import { z } from 'zod';
import type { App } from '../../app.ts';
import type { RunState } from '../../core/run/state.ts';
import { sharedState } from '../../core/view/guest-run.ts';
import { diffText } from '../../git/read/diff.ts';
import { nodesOf, progressOf } from '../../recipes/registry.ts';
import type { FullMaterial } from '../../reports/full-section.ts';
import { toHtml } from '../../reports/html.ts';
import { toMarkdown } from '../../reports/markdown.ts';
import { runReport } from '../../reports/run-report.ts';
import { attemptId, runStream } from '../../schema/ids.ts';
import { headText } from '../../store/chain.ts';
import { isGuest } from '../authorize.ts';
import { findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';
import { lineOf } from '../transcripts/read-transcript.ts';
import { rangeOf } from './diff-run.ts';
import { examineIfPossible } from './examine-result.ts';
import { mirrorOfRun } from './project-mirror.ts';

/** Writes the report of a run, even if its repository was deleted. */
export const reportRun = operation({
  name: 'report-run',
  where: 'anywhere',
  summary: 'Write the report of a run',
  http: 'GET /api/runs/{run}/report',
  allow: ['guest', 'viewer', 'operator'],
  input: z.object({
    ...RunRef,
    format: z.enum(['md', 'html']).default('md'),
    full: z.boolean().default(false).describe('Also the time line, the patch and the transcript of every attempt.'),
  }),
  output: z.object({ run: z.string(), format: z.enum(['md', 'html']), text: z.string() }),
  run: async (app, { format, full, ...ref }, { origin }) => {
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
      full: full ? await fullMaterial(app, state, examined.examination !== null) : undefined,
    });
    return { run, format, text: format === 'html' ? toHtml(page) : toMarkdown(page) };
  },
});

/** More rows of one attempt are left out, from its beginning. */
const MOST_ROWS = 2_000;
/** More attempts are left out, those that began first. */
const MOST_ATTEMPTS = 500;

async function fullMaterial(app: App, state: RunState, isReadable: boolean): Promise<FullMaterial> {
  const diff = isReadable ? await diffText(await mirrorOfRun(app, state), rangeOf(state, undefined)) : null;
  const attempts = state.order.flatMap((task) => {
    const { ordinal = 0, attempts: all = [] } = state.tasks[task] ?? {};
    return all.map(({ number }) => ({ task, number, id: attemptId(state.start.run, ordinal, number) }));
  });
  const transcripts = attempts.slice(-MOST_ATTEMPTS).map(({ task, number, id }) => {
    const total = app.store.rowCount(id);
    const rows = app.store.page({ attempt: id, offset: Math.max(0, total - MOST_ROWS), limit: MOST_ROWS });
    return { task, attempt: number, total, rows: rows.map(lineOf) };
  });
  return { diff, transcripts };
}
