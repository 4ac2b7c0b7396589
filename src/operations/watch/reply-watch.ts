import { z } from 'zod';
import { sayTo } from '../../core/watch/decide-watch.ts';
import { watchStream } from '../../schema/ids.ts';
import { Discussion } from '../../schema/watch/watch-round.ts';
import { crashpoint } from '../../world.ts';
import { projectOf } from '../find-run.ts';
import { operation } from '../operation.ts';

/** Writes to the watcher of a project, which wakes it; an agent answers in the next round. */
export const replyWatch = operation({
  name: 'reply-watch',
  where: 'engine',
  summary: 'Write a message to the watcher of a project, in a discussion or as a new one',
  http: 'POST /api/watch/messages',
  allow: ['operator'],
  input: z.object({
    dir: z.string(),
    discussion: z.string().optional().describe('The discussion; a new one by default.'),
    text: z.string().trim().min(1).max(20_000),
  }),
  output: Discussion,
  run: async (app, { dir, discussion, text }, { origin }) => {
    const { id } = await projectOf(app, dir);
    crashpoint('watch.replying');
    const state = await app.watches.update(watchStream(id), (each) => sayTo(each, { discussion, text }), origin);
    crashpoint('watch.replied');
    return state.discussions.at(-1) ?? { id: discussion ?? '', messages: [] };
  },
});
