import { z } from 'zod';
import { Context } from './job-parts.ts';
import { StartOptions } from './request.ts';

/** A batch that the engine carries: everything its items need, as it stood when the batch was started. */
export const BatchStart = z.object({
  batch: z.string().describe('Names this start of the batch.'),
  name: z.string(),
  collection: z.string(),
  parallel: z.number().int().min(1).max(50),
  options: StartOptions,
  items: z.array(
    z.object({
      item: z.number().int().positive(),
      prompt: z.string(),
      title: z.string().optional(),
      template: z.string().optional(),
      context: Context.optional(),
    }),
  ),
});
export type BatchStart = z.infer<typeof BatchStart>;
