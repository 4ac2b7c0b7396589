import { z } from 'zod';
import { StartOptions } from '../../schema/request.ts';
import { requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';
import { prepareReview } from './prepare-review.ts';

const FORK =
  'It comes from a fork: the checks run the code of somebody who may not write to the repository, on this machine.';

/** Starts the review of a pull request, from its merge with its current base. */
export const reviewPullRequest = operation({
  name: 'review-pull-request',
  where: 'engine',
  summary: 'Review a pull request: read, check, mend, and then approve or merge it as far as it is allowed',
  http: 'POST /api/pull-requests/{number}/review',
  allow: ['operator'],
  input: z.object({
    number: z.number().int().positive(),
    automerge: z.boolean().optional(),
    push: z.boolean().optional(),
    yes: z.boolean().default(false),
    options: StartOptions,
  }),
  output: z.object({ run: z.string(), notes: z.array(z.string()) }),
  run: async (app, { number, automerge, push, yes, options }, { signal, origin }) => {
    const control = requireControl(app);
    const { input, base, settings } = await prepareReview(app, { dir: options.dir, number }, signal);
    const started = await control.start(
      {
        recipe: 'review',
        input: { ...input, automerge: automerge ?? settings.automerge, push: push ?? settings.push, yes },
        options: { ...options, base, land: 'pr' },
      },
      origin,
    );
    return input.pull.fork ? { ...started, notes: [FORK, ...started.notes] } : started;
  },
});
