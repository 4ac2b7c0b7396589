import { z } from 'zod';

/** How far a to-do list is executed without asking: settings at the top of the file. */
export const TODO_SETTINGS = {
  mode: z
    .enum(['review', 'yolo'])
    .default('review')
    .describe('review: stop where a person should review; yolo: continue to the end.'),
  stopAfterGenerate: z
    .boolean()
    .optional()
    .describe('Stop when tasks were made of a list of things to do; default: true in mode review.'),
  autoApprove: z.boolean().default(false).describe('Approve generated tasks and plans without asking.'),
  autoPr: z.boolean().optional().describe('Open pull requests for what is done; default: true in mode yolo.'),
};
