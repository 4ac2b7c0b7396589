import { z } from 'zod';
import { sharedEvent } from '../../core/view/guest-run.ts';
import { ShownEvent } from '../../schema/event.ts';
import { isGuest } from '../authorize.ts';
import { completeId } from '../find-run.ts';
import { stream } from '../operation.ts';

/** Follows the events of a run: those after a version first, then each as it is committed. */
export const watchRun = stream({
  name: 'watch-run',
  where: 'anywhere',
  summary: 'Follow the events of a run',
  http: 'GET /api/runs/{run}/events',
  allow: ['guest', 'viewer', 'operator'],
  input: z.object({ run: z.string(), after: z.number().int().nonnegative().default(0) }),
  output: ShownEvent,
  cursor: 'version',
  async *run(app, { run, after }, { signal, origin }) {
    const events = app.runs.events(completeId(app, run), after, signal);
    if (!isGuest(origin)) return yield* events;
    for await (const batch of events) yield batch.map(sharedEvent);
  },
});
