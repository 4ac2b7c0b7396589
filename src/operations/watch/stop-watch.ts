import { z } from 'zod';
import { stopWatching } from '../../core/watch/decide-watch.ts';
import { watchStream } from '../../schema/ids.ts';
import { WatchDocument } from '../../schema/watch/watch-round.ts';
import { projectOf } from '../find-run.ts';
import { operation } from '../operation.ts';
import { watchDocument } from './show-watch.ts';

/** Ends the watching of a project; a round that runs ends by itself, and everything that was found is kept. */
export const stopWatch = operation({
  name: 'stop-watch',
  where: 'engine',
  summary: 'Stop watching a project; what was found is kept',
  http: 'POST /api/watch/stop',
  allow: ['operator'],
  input: z.object({ dir: z.string(), reason: z.string().default('stopped by a person') }),
  output: WatchDocument,
  run: async (app, { dir, reason }, { origin }) => {
    const { id } = await projectOf(app, dir);
    await app.watches.update(watchStream(id), (state) => stopWatching(state, reason), origin);
    return watchDocument(app, id);
  },
});
