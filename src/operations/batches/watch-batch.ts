import { z } from 'zod';
import type { App } from '../../app.ts';
import { ProjectEvent } from '../../schema/event.ts';
import { projectStream } from '../../schema/ids.ts';
import { projectOf } from '../find-run.ts';
import { stream } from '../operation.ts';
import { ALL_STARTED } from './run-batch.ts';

const TYPES = ['batch.item-started', 'batch.ended'];

const BatchEvent = z.union([
  z.object({ version: z.number().int(), item: z.number().int(), run: z.string() }),
  z.object({
    version: z.number().int(),
    ended: z.string().describe('Why no more items are started.'),
    complete: z.boolean().describe('Whether all items were started.'),
    code: z.string().optional().describe('The code of the error that ended it.'),
  }),
]);
type BatchEvent = z.infer<typeof BatchEvent>;

/** Follows the items of a batch as they are started, until no more are started. */
export const watchBatch = stream({
  name: 'watch-batch',
  where: 'anywhere',
  summary: 'Follow the items of a batch as they are started',
  http: 'GET /api/batches/{start}/items',
  allow: ['viewer', 'operator'],
  input: z.object({
    dir: z.string(),
    start: z.string().describe('The `start` that start-batch returned.'),
    after: z.number().int().nonnegative().default(0).describe('The last version received.'),
  }),
  output: BatchEvent,
  cursor: 'version',
  async *run(app, { dir, start, after }, { signal }) {
    const { id } = await projectOf(app, dir);
    let version = after;
    while (!signal.aborted) {
      const changed = changeOf(app, projectStream(id), signal);
      const events = eventsOf(app, { project: id, start, after: version });
      version = events.at(-1)?.version ?? version;
      if (events.length > 0) yield events;
      if (events.some((event) => 'ended' in event) || !app.runs.isLive) return;
      await changed;
    }
  },
});

function eventsOf(
  app: App,
  { project, start, after }: { project: string; start: string; after: number },
): BatchEvent[] {
  return app.store.readTypes(projectStream(project), TYPES).flatMap(({ version, type, data }): BatchEvent[] => {
    const event = ProjectEvent.parse({ type, data });
    if (version <= after) return [];
    if (!('batch' in event.data) || event.data.batch !== start) return [];
    if (event.type === 'batch.ended') {
      const { reason, code } = event.data;
      return [{ version, ended: reason, complete: reason === ALL_STARTED, ...(code === undefined ? {} : { code }) }];
    }
    return event.type === 'batch.item-started' ? [{ version, item: event.data.item, run: event.data.run }] : [];
  });
}

function changeOf({ store }: App, changed: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = store.onAppend((events) => {
    if (events.some(({ stream: name }) => name === changed)) resolve();
  });
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise.finally(stop);
}
