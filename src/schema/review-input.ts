import { z } from 'zod';
import { PullRequest } from './pull-request.ts';

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
