import { z } from 'zod';
import { PullRequest } from './pull-request.ts';

/** What a review of a pull request starts from. */
export const ReviewInput = z.object({
  /** The pull request as it stood when the review began; its head is a whole commit id. */
  pull: PullRequest,
  forge: z.string(),
  body: z.string().default(''),
  /** The commit that its changes are measured against: that of its base branch, with which it was merged. */
  onto: z.string(),
  /** It cannot be merged with its base as it is; then it is looked at as it stands. */
  conflicts: z.boolean().default(false),
  automerge: z.boolean().default(false),
  push: z.boolean().default(false).describe('Push fixes to its branch.'),
  yes: z.boolean().default(false).describe('Approve or merge it without asking a person first.'),
});
export type ReviewInput = z.infer<typeof ReviewInput>;
