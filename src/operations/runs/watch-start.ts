import { z } from 'zod';
import { Activity } from '../../schema/document.ts';
import { stream } from '../operation.ts';

/** Follows what is done to start or resume a run in a folder, before the run is in progress. */
export const watchStart = stream({
  name: 'watch-start',
  where: 'anywhere',
  summary: 'Follow what is done to start or resume a run in a folder, before the run is in progress',
  http: 'GET /api/start/stream',
  allow: ['viewer', 'operator'],
  input: z.object({
    dir: z.string().describe('The folder in which the run is started.'),
    after: z.number().int().nonnegative().default(0).describe('Not used: only what is done now is known.'),
  }),
  output: z.object({ number: z.number().int(), activity: z.array(Activity) }),
  cursor: 'number',
  async *run(app, { dir, after }, { signal }) {
    let number = after;
    for await (const activity of app.runs.starting(dir, signal)) {
      number += 1;
      yield [{ number, activity }];
    }
  },
});
