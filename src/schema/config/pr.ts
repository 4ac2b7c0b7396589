import { z } from 'zod';

/** How pull requests are made of a run. */
export const PrConfig = z
  .strictObject({
    per: z.enum(['run', 'task']).default('run').describe('One pull request for the run, or one for each task.'),
    draft: z
      .enum(['auto', 'always', 'never'])
      .default('auto')
      .describe('auto: a draft where tasks failed or no check passed on the result.'),
    pushFailed: z.boolean().default(false).describe('Push the work of failed tasks to branches of their own, too.'),
  })
  .prefault({});
export type PrConfig = z.infer<typeof PrConfig>;
