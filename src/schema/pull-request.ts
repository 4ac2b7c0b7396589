import { z } from 'zod';

/** A pull request (or merge request) as its host reports it. */
export const PullRequest = z.object({
  number: z.number().int().positive(),
  title: z.string(),
  url: z.string(),
  state: z.enum(['open', 'merged', 'closed']),
  draft: z.boolean(),
  author: z.string(),
  /** The branch with the changes, and its commit; some hosts return only an abbreviated commit id. */
  head: z.object({ branch: z.string(), commit: z.string() }),
  /** The branch it is to be merged into. */
  base: z.string(),
  /** It comes from another repository, to whose branch we do not push. */
  fork: z.boolean(),
});
export type PullRequest = z.infer<typeof PullRequest>;
