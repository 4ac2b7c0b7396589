import { z } from 'zod';
import { InsidePath } from './scalars.ts';

/** What a newcomer should know about the project. */
export const ProjectConfig = z
  .strictObject({
    testCommand: z
      .string()
      .min(1)
      .optional()
      .describe('The command that runs the tests; a check like those in checks.'),
    testInstructions: InsidePath.optional().describe(
      'A Markdown file that tells agents how to test, instead of the list of checks; the checks still decide.',
    ),
    keyFiles: z.array(InsidePath).default([]).describe('Files and folders that agents should read first.'),
  })
  .prefault({});
