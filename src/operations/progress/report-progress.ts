import { z } from 'zod';
import { AttemptCaller } from '../attempt-caller.ts';
import { operation } from '../operation.ts';
import { addReport } from './report-row.ts';

/** Records a milestone that an agent reached, or one that it plans. */
export const reportProgress = operation({
  name: 'report-progress',
  where: 'engine',
  summary: 'Report a milestone of your task: one that you reached, or one that remains',
  http: { unreachable: 'An agent calls it through the socket of its attempt.' },
  allow: ['attempt'],
  input: z.object({
    ...AttemptCaller,
    milestone: z.string().trim().min(1).max(500),
    done: z.boolean().default(true).describe('false: it remains to be done.'),
  }),
  output: z.object({ reported: z.literal(true) }),
  run: async (app, { milestone, done, ...caller }) => {
    await addReport(app, caller, {
      kind: 'milestone',
      text: `${done ? 'done' : 'remains'}: ${milestone}`,
      data: { done },
    });
    return { reported: true as const };
  },
});
