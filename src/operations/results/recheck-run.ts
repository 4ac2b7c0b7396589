import { z } from 'zod';
import { Evidence } from '../../schema/gate.ts';
import { findRun, RunRef, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';

/** Runs the checks of an ended run again on its current result, and records their evidence. */
export const recheckRun = operation({
  name: 'recheck-run',
  where: 'engine',
  summary: 'Run the checks of an ended run again on its result',
  http: 'POST /api/runs/{run}/recheck',
  allow: ['operator'],
  input: z.object(RunRef),
  output: z.object({ run: z.string(), evidence: z.array(Evidence) }),
  run: async (app, ref, { origin }) => {
    const { run } = (await findRun(app, ref)).start;
    return { run, evidence: await requireControl(app).recheck(run, origin) };
  },
});
