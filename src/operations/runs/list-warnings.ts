import { z } from 'zod';
import { openWarnings } from '../../core/attempt/fold-attempt.ts';
import { lastAttempt } from '../../core/run/state.ts';
import { HealthSign } from '../../schema/health.ts';
import { completeKey, findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';

/** A sign that the last attempt of a task may be failing. */
export const WarningItem = z.object({
  run: z.string(),
  task: z.string(),
  attempt: z.number().int(),
  sign: HealthSign,
  message: z.string(),
  at: z.string(),
});
export type WarningItem = z.infer<typeof WarningItem>;

/** Lists the warnings about the last attempt of each task of a run, or of one of them. */
export const listWarnings = operation({
  name: 'list-warnings',
  where: 'anywhere',
  summary: 'List the warnings about the attempts of a run that were not dismissed',
  http: 'GET /api/runs/{run}/warnings',
  allow: ['viewer', 'operator'],
  input: z.object({ ...RunRef, task: z.string().optional() }),
  output: z.array(WarningItem),
  run: async (app, { task: named, ...ref }) => {
    const state = await findRun(app, ref);
    const keys = named === undefined ? state.order : [completeKey(state, named)];
    return keys.flatMap((key) => {
      const task = state.tasks[key];
      const attempt = task === undefined ? undefined : lastAttempt(task);
      return openWarnings(attempt).map(({ sign, message, at }) => ({
        run: state.start.run,
        task: key,
        attempt: attempt?.number ?? 0,
        sign,
        message,
        at: new Date(at).toISOString(),
      }));
    });
  },
});
