import { z } from 'zod';
import { WorkFormat } from '../schema/work-file.ts';

/** What a work file contains, or its errors. */
export const WorkCheck = z.object({
  file: z.string(),
  ok: z.boolean(),
  format: WorkFormat.nullable(),
  recipe: z.string().nullable(),
  count: z.number().int().describe('How many features, items, tasks, nodes or entries.'),
  notes: z.array(z.string()),
  mistakes: z.array(
    z.object({
      line: z.number().int(),
      column: z.number().int(),
      code: z.string(),
      where: z.string(),
      reason: z.string(),
    }),
  ),
});
export type WorkCheck = z.infer<typeof WorkCheck>;
