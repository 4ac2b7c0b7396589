import { startWatching } from '../../core/watch/decide-watch.ts';
import { watchStream } from '../../schema/ids.ts';
import { WatchSettings } from '../../schema/watch/watch-event.ts';
import { WatchDocument } from '../../schema/watch/watch-round.ts';
import { projectOf } from '../find-run.ts';
import { operation } from '../operation.ts';
import { runWatch } from './run-watch.ts';
import { watchDocument } from './show-watch.ts';

/** Watches a project in rounds, each of which is a run of its own, until it is stopped. */
export const startWatch = operation({
  name: 'start-watch',
  where: 'engine',
  summary: 'Watch a project: propose, answer messages and draft reviews in rounds, within a budget per day',
  http: 'POST /api/watch',
  allow: ['operator'],
  input: WatchSettings,
  output: WatchDocument,
  run: async (app, settings, { origin }) => {
    const project = await projectOf(app, settings.options.dir);
    const options = { ...settings.options, dir: project.root };
    await app.watches.update(
      watchStream(project.id),
      (state) => startWatching(state, { ...settings, options }),
      origin,
    );
    runWatch(app, project, origin);
    return watchDocument(app, project.id);
  },
});
