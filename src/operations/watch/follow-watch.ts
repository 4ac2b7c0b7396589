import { z } from 'zod';
import { watchStream } from '../../schema/ids.ts';
import { WatchEvent } from '../../schema/watch/watch-event.ts';
import { projectOf } from '../find-run.ts';
import { stream } from '../operation.ts';

/** Follows what happens to the series of a project. */
export const followWatch = stream({
  name: 'follow-watch',
  where: 'anywhere',
  summary: 'Follow the rounds, proposals and messages of a watched project',
  http: 'GET /api/watch/events',
  allow: ['viewer', 'operator'],
  input: z.object({
    dir: z.string(),
    after: z.number().int().nonnegative().default(0).describe('The last version received.'),
  }),
  output: z.object({ version: z.number().int(), at: z.string(), event: WatchEvent }),
  cursor: 'version',
  async *run(app, { dir, after }, { signal }) {
    const name = watchStream((await projectOf(app, dir)).id);
    for (let version = after; !signal.aborted; ) {
      const changed = Promise.withResolvers<void>();
      const stop = app.store.onAppend((events) => {
        if (events.some((event) => event.stream === name)) changed.resolve();
      });
      const end = () => changed.resolve();
      signal.addEventListener('abort', end, { once: true });
      try {
        const events = app.store.read(name, version).flatMap(({ version: at, at: time, type, data }) => {
          const { data: event } = WatchEvent.safeParse({ type, data });
          return event === undefined ? [] : [{ version: at, at: new Date(time).toISOString(), event }];
        });
        version = events.at(-1)?.version ?? version;
        if (events.length > 0) yield events;
        if (!app.runs.isLive) return;
        if (events.length === 0) await changed.promise;
      } finally {
        stop();
        signal.removeEventListener('abort', end);
      }
    }
  },
});
