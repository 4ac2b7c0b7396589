import { z } from 'zod';
import { AppError } from '../../errors.ts';
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
    const draft = app.watches.state(stream).reviews.findLast((review) => review.number === number);
    if (draft === undefined) throw new AppError('INPUT_INVALID', `There is no draft review of #${number}`, { number });
    if (draft.status !== 'draft')
      throw new AppError('REFUSED', `The review of #${number} is already ${draft.status}`, { number });
    const { head, text } = draft;
    if (post) {
      const { forge } = await forgeOf(app, dir, signal);
      const comment = { key: `watch-${head}`, body: text };
      crashpoint('watch.posting');
      await answerOf(app, forge, { ask: () => forge.comment(number, comment, signal), signal });
    }
    const status = post ? ('posted' as const) : ('discarded' as const);
    await app.watches.update(stream, () => [{ type: 'watch.review-settled', data: { number, head, status } }], origin);
    crashpoint('watch.posted');
    return { ...draft, status };
  },
});
