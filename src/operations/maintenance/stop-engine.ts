import { z } from 'zod';
import { requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';

/** Ends the engine after this answer; the program that runs it reports that and exits. */
export const stopEngine = operation({
  name: 'stop-engine',
  where: 'living-engine',
  summary: 'End the engine that runs; its runs can be resumed',
  http: 'POST /api/stop',
  allow: ['operator'],
  input: z.object({
    agents: z
      .enum(['leave', 'stop'])
      .default('leave')
      .describe('`leave`: agents go on and the next engine adopts them; `stop`: they are ended, their work saved.'),
  }),
  output: z.object({ pid: z.number().int().describe('The process that ends.') }),
  run: async (app, { agents }) => {
    requireControl(app).end(agents);
    return { pid: process.pid };
  },
});
