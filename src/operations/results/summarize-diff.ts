import { z } from 'zod';
import { changeSummary } from '../../core/finish/change-summary.ts';
import { ChangeSummary } from '../../schema/change.ts';
import { findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';
import { rangeOf } from './diff-run.ts';
import { changesBetween, mirrorOfRun } from './project-mirror.ts';

/** Statistics of a diff: files by kind, notable changes, and whether tests are missing. */
export const summarizeDiff = operation({
  name: 'summarize-diff',
  where: 'anywhere',
  summary: 'Summarize in numbers what a run, or one of its tasks, changed',
  http: 'GET /api/runs/{run}/diff/summary',
  allow: ['guest', 'viewer', 'operator'],
  input: z.object({ ...RunRef, task: z.string().optional() }),
  output: ChangeSummary.extend({ run: z.string(), from: z.string(), to: z.string() }),
  run: async (app, { task, ...ref }) => {
    const state = await findRun(app, ref);
    const range = rangeOf(state, task);
    const mirror = await mirrorOfRun(app, state);
    return { run: state.start.run, ...range, ...changeSummary(await changesBetween(mirror, range)) };
  },
});
