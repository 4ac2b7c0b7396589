import { requireEngine } from '../find-run.ts';
import type { Operation } from '../operation.ts';

const FORK =
  'It comes from a fork: the checks run the code of somebody who may not write to the repository, on this machine.';

/** Starts the review of a pull request, from what it is when merged with its base now. */
export const reviewPullRequest: Operation<'review-pull-request'> = async (ports, asked, signal) => {
  const engine = requireEngine(ports);
  const { input, base, settings } = await ports.forges.prepareReview(asked.options.dir, asked.number, signal);
  const started = await engine.start({
    recipe: 'review',
    input: {
      ...input,
      automerge: asked.automerge ?? settings.automerge,
      push: asked.push ?? settings.push,
      yes: asked.yes,
    },
    options: { ...asked.options, base, land: 'pr' },
  });
  return input.pull.fork ? { ...started, notes: [FORK, ...started.notes] } : started;
};
