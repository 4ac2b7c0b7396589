import { z } from 'zod';
import { ShownEvent } from '../../schema/event.ts';
import { completeId } from '../find-run.ts';
import { stream } from '../operation.ts';

/** Follows the events of a run: those after a version first, then each as it is committed. */
export const watchRun = stream({
  name: 'watch-run',
  where: 'anywhere',
  summary: 'Follow the events of a run',
  http: 'GET /api/runs/{run}/events',
  allow: ['viewer', 'operator'],
  input: z.object({ run: z.string(), after: z.number().int().nonnegative().default(0) }),
  output: ShownEvent,
  cursor: 'version',
  async *run(app, { run, after }, { signal }) {
    yield* app.runs.events(completeId(app, run), after, signal);
  },
});
