import { z } from 'zod';
import { AttemptCaller } from '../attempt-caller.ts';
import { operation } from '../operation.ts';
import { addReport } from './report-row.ts';

/** Shows what an agent is doing. */
export const reportStatus = operation({
  name: 'report-status',
  where: 'engine',
  summary: 'Say in one sentence what you are doing now; the person who follows the run sees it',
  http: { unreachable: 'An agent calls it through the socket of its attempt.' },
  allow: ['attempt'],
  input: z.object({ ...AttemptCaller, message: z.string().trim().min(1).max(1_000) }),
  output: z.object({ reported: z.literal(true) }),
  run: async (app, { message, ...caller }) => {
    await addReport(app, caller, { kind: 'status', text: message });
    return { reported: true as const };
  },
});
