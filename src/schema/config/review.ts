import { z } from 'zod';
import { Permission } from './agent.ts';

const OptionalTexts = z.array(z.string()).optional();

/** What reviewers may use, where it differs from `tools`. */
const ReviewTools = z.strictObject({
  permissionMode: Permission.optional().describe('What reviewers may do without permission prompts.'),
  allowedCli: OptionalTexts.describe('Programs reviewers may run.'),
  allowedTools: OptionalTexts.describe('Tool patterns that reviewers are allowed.'),
  disallowedTools: OptionalTexts.describe('Tool patterns that reviewers are refused.'),
  addDirs: OptionalTexts.describe('Folders outside the workspace that reviewers may use.'),
});

/** How the merged result of a run, and pull requests, are reviewed. */
export const ReviewConfig = z
  .strictObject({
    rounds: z.number().int().min(0).max(20).default(3).describe('Maximum review rounds; 0 disables review.'),
    automerge: z
      .boolean()
      .default(false)
      .describe('Merge a pull request that passed its review, instead of only approving it.'),
    testBeforeMerge: z
      .boolean()
      .default(true)
      .describe('Run the checks on a pull request merged with its base before it is approved.'),
    requireAllTestsPass: z
      .boolean()
      .default(true)
      .describe('Wait for checks that are missing or unfinished; a failed one always blocks the pull request.'),
    push: z.boolean().default(false).describe('Push fixes to the branch of the pull request.'),
    tools: ReviewTools.optional().describe('What reviewers of pull requests may use, where it differs from tools.'),
  })
  .prefault({});
export type ReviewConfig = z.infer<typeof ReviewConfig>;
