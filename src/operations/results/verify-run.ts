import { z } from 'zod';
import { Acceptance } from '../../schema/acceptance.ts';
import { findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';
import { examineResult } from './examine-result.ts';

/** Whether the current result of a run can be accepted, with each reason why not. */
export const verifyRun = operation({
  name: 'verify-run',
  where: 'anywhere',
  summary: 'Check whether the result of a run can be accepted',
  http: 'GET /api/runs/{run}/acceptance',
  allow: ['guest', 'viewer', 'operator'],
  input: z.object(RunRef),
  output: Acceptance,
  run: async (app, ref) => (await examineResult(app, await findRun(app, ref))).acceptance,
});
