import { z } from 'zod';
import { dismissWarning as decideDismiss } from '../../core/attempt/decide-attempt.ts';
import { HealthSign } from '../../schema/config/health.ts';
import { RunDocument } from '../../schema/document.ts';
import { completeKey, findRun, RunRef, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';
import { documentOf } from '../run-document.ts';

/** Hides a warning; its cause stays recorded. */
export const dismissWarning = operation({
  name: 'dismiss-warning',
  where: 'engine',
  summary: 'Dismiss a warning about an attempt',
  http: 'POST /api/runs/{run}/tasks/{task}/warnings/dismiss',
  allow: ['operator'],
  input: z.object({ ...RunRef, task: z.string(), attempt: z.number().int().positive(), sign: HealthSign }),
  output: RunDocument,
  run: async (app, { task, attempt, sign, ...ref }, { origin }) => {
    const found = await findRun(app, ref);
    const warning = { task: completeKey(found, task), attempt, sign };
    const decide = (state: typeof found) => decideDismiss(state, warning);
    return documentOf(app, await requireControl(app).record(found.start.run, decide, origin));
  },
});
