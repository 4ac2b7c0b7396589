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

/** The input of a review of a pull request. */
export const ReviewInput = z.object({
  /** The pull request when the review began; its head is a full commit id. */
  pull: PullRequest,
  forge: z.string(),
  body: z.string().default(''),
  /** The commit that its changes are compared with: that of its base branch, with which it was merged. */
  onto: z.string(),
  /** It conflicts with its base and is therefore reviewed unmerged. */
  conflicts: z.boolean().default(false),
  automerge: z.boolean().default(false),
  push: z.boolean().default(false).describe('Push fixes to its branch.'),
  yes: z.boolean().default(false).describe('Approve or merge it without confirmation by a person.'),
});

export type ReviewInput = z.infer<typeof ReviewInput>;
