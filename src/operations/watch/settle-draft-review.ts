import { z } from 'zod';
import { openReview, settleReview } from '../../core/watch/decide-watch.ts';
import { watchStream } from '../../schema/ids.ts';
import { DraftReview } from '../../schema/watch/watch-round.ts';
import { crashpoint } from '../../world.ts';
import { projectOf } from '../find-run.ts';
import { operation } from '../operation.ts';
import { answerOf, forgeOf } from '../pull-requests/project-forge.ts';

/** Posts the draft review of a pull request as a comment, once, or discards it; without this nothing is posted. */
export const settleDraftReview = operation({
  name: 'settle-draft-review',
  where: 'engine',
  summary: 'Post the draft review of a pull request as a comment, or discard it',
  http: 'POST /api/watch/reviews/{number}',
  allow: ['operator'],
  decides: true,
  reserved: () => 'posting reviews',
  input: z.object({ dir: z.string(), number: z.number().int().positive(), post: z.boolean() }),
  output: DraftReview,
  run: async (app, { dir, number, post }, { origin, signal }) => {
    const stream = watchStream((await projectOf(app, dir)).id);
    const draft = openReview(app.watches.state(stream), number);
    if (post) {
      const { forge } = await forgeOf(app, dir, signal);
      const comment = { key: `watch-${draft.head}`, body: draft.text };
      crashpoint('watch.posting');
      await answerOf(app, forge, { ask: () => forge.comment(number, comment, signal), signal });
    }
    const status = post ? ('posted' as const) : ('discarded' as const);
    await app.watches.update(stream, () => settleReview(draft, status), origin);
    crashpoint('watch.posted');
    return { ...draft, status };
  },
});
