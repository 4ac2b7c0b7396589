import { z } from 'zod';
import { requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';

/** Stops the engine after this response; its program reports that and exits. */
export const stopEngine = operation({
  name: 'stop-engine',
  where: 'living-engine',
  summary: 'Stop the running engine; its runs can be resumed',
  http: 'POST /api/stop',
  allow: ['operator'],
  input: z.object({
    agents: z
      .enum(['leave', 'stop'])
      .default('leave')
      .describe(
        '`leave`: agents keep running and the next engine adopts them; `stop`: they are stopped and their work is saved.',
      ),
  }),
  output: z.object({ pid: z.number().int().describe('The process that is stopping.') }),
  run: async (app, { agents }) => {
    requireControl(app).end(agents);
    return { pid: process.pid };
  },
});
